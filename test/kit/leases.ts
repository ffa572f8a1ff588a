/** A node renews these by the clock, whatever a test does meanwhile. */
export const isLease = (roundTrip: string): boolean =>
  ['deployment.lease', 'node.lease', 'sessions.lease'].includes(roundTrip)
