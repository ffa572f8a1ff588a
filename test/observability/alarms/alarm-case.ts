/** What Prometheus has scraped, one value a minute, in the notation of promtool: `0x5 0+10x20` is six zeros, and then 10 more each minute. */
export type Scraped = Readonly<Record<string, string>>

export type AlarmCase = {
  fires: {
    scraped: Scraped
    /** The minute at which it fires, and has not a minute before. */
    at: number
    /** The minute at which it fires for the last time, if it goes on after its cause is over. */
    until?: number
    /** The summary that whoever is on call reads. */
    says: string
    /** The labels, beside the severity. */
    labels?: Readonly<Record<string, string>>
  }
  /** It does not fire at any minute of this. */
  silent: { when: string; scraped: Scraped }
}

export type AlarmCases = Readonly<Record<string, AlarmCase>>
