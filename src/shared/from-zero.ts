import type { Counter } from 'prom-client'

/**
 * Shows a counter from the start, at 0, for each of these labels. Prometheus computes a rise from two values: a series that begins with its first event
 * has not risen, and no alarm sees that event.
 */
export function fromZero<Label extends string>(
  counter: Counter<Label>,
  values: Readonly<Record<Label, readonly string[]>>,
): Counter<Label> {
  for (const labels of combinations(values)) counter.inc(labels, 0)
  return counter
}

const combinations = <Label extends string>(values: Readonly<Record<Label, readonly string[]>>) =>
  Object.entries<readonly string[]>(values).reduce<Record<Label, string>[]>(
    (all, [label, each]) => all.flatMap((labels) => each.map((value) => ({ ...labels, [label]: value }))),
    [{} as Record<Label, string>],
  )
