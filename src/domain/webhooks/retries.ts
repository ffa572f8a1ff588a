// When an event is posted again that was not taken, and when it is given up.

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

/**
 * The pauses double from this to an hour. An endpoint that fails now and then, for whatever is posted, holds a conversation up for a moment: what
 * fails once in three times waits 0.15 s in the mean.
 */
const firstPauseMs = 100
const lastPauseMs = hourMs

export const giveUpAfterMs = 3 * dayMs
/** A webhook is switched off if its endpoint has taken nothing for so long. */
export const disableAfterMs = 5 * dayMs

/** Both times begin anew if nobody has tried for so long, because all nodes were stopped. No pause is as long. */
export const restMs = 2 * dayMs

/** Returns the pause after so many attempts. Chance makes it up to half as long again, so that what failed together is not tried together. */
export function pauseMs(attempts: number, random: () => number): number {
  const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), lastPauseMs)
  return Math.round(pause * (1 + random() / 2))
}
