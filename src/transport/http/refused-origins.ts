import type { Logger } from 'pino'

/** Limits how many origins are remembered, because a client may name as many as it likes. */
const rememberedMax = 100
const originMaxChars = 200

/** Logs each refused origin once, with the setting that would allow it: the browser tells its user nothing of the reason. */
export function createRefusedOriginsLog(logger: Logger): (origin: string) => void {
  const logged = new Set<string>()
  return (given) => {
    const origin = given.slice(0, originMaxChars)
    if (logged.has(origin) || logged.size >= rememberedMax) return
    logged.add(origin)
    logger.warn(
      { origin, setting: 'ALLOWED_ORIGINS' },
      'refused a page of an origin that ALLOWED_ORIGINS does not name',
    )
    if (logged.size === rememberedMax) logger.warn('refused pages of too many origins: no further origin is logged')
  }
}
