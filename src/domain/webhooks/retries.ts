// When an event is posted again that was not taken, and when it is given up.

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Each pause is between this and half as much again, so that what failed together is not tried together. After the last one they stay as long. */
const pausesMs = [secondMs, 5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs]

export const giveUpAfterMs = 3 * dayMs
/** A webhook of which nothing was taken for so long is switched off. */
export const disableAfterMs = 5 * dayMs

/** Where nobody has tried for so long, as all nodes were stopped, both times begin anew. No pause is as long. */
export const restMs = 2 * dayMs

/** `attempts`: how often it was tried. */
export function pauseMs(attempts: number, random: () => number): number {
  const pause = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? secondMs
  return Math.round(pause * (1 + random() / 2))
}
