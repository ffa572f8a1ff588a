// Durable leases: who does what only one node should do at a time. Whoever takes a lease promises to stop at its end, unless it was held for longer
// before. A holder that is stopped for a while does not know that its lease has ended, and machines have different clocks, so two may believe
// that they hold one. Hence the version: it rises with each taking, and what a holder writes is written on the condition that no higher version has
// been there.

/** `untilMs` is a time of day. `version` begins at 1, and never falls until the lease is removed. */
export type Lease = { name: string; holder: string; version: number; untilMs: number }

export interface Leases {
  /**
   * Takes the lease until then, under the next version, if nobody holds it at `nowMs`. Its own holder may take it too, as one whose last call
   * was not answered must. Returns undefined where another one holds it.
   */
  take(name: string, holder: string, time: { nowMs: number; untilMs: number }): Promise<Lease | undefined>
  /** Holds it for longer, under the same version. Returns undefined where it was taken by somebody since. */
  hold(lease: Lease, untilMs: number): Promise<Lease | undefined>
  /** Ends it now, so that others need not wait. Does nothing where it was taken by somebody since. */
  end(lease: Lease): Promise<void>
  /** Returns those that were ever taken, each once, in any order. */
  getMany(names: readonly string[]): Promise<readonly Lease[]>
  /** Forgets it and its version: for something that is gone for good. */
  remove(name: string): Promise<void>
}
