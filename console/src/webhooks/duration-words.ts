const units: readonly [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** Names a duration by its largest unit: 3 minutes, 1 day. */
export function durationWords(seconds: number): string {
  const [size, name] = units.find(([each]) => seconds >= each) ?? [1, 'second']
  const count = Math.floor(seconds / size)
  return count === 1 ? `1 ${name}` : `${count} ${name}s`
}
