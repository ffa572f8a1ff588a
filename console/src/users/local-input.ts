/** The value of an <input type="datetime-local"> for a moment, by the clock of this device. It begins with the second, as tokens do. */
export function localInput(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
