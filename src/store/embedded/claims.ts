import type { Claim, Claims } from '../../ports/log.ts'
import type { ClientMessageId, UserId } from '../../protocol/ids.ts'

// sender#client message id → claim
export function createClaimsMemory(): Claims {
  const claims = new Map<string, Claim>()
  const keyOf = (senderId: UserId, clientMessageId: ClientMessageId) => `${senderId}#${clientMessageId}`

  return {
    async claim(claim) {
      const key = keyOf(claim.senderId, claim.clientMessageId)
      const standing = claims.get(key) ?? { ...claim }
      claims.set(key, standing)
      return { ...standing }
    },

    async get(senderId, clientMessageId) {
      const claim = claims.get(keyOf(senderId, clientMessageId))
      return claim && { ...claim }
    },

    async move({ senderId, clientMessageId, seq }, toSeq) {
      const claim = claims.get(keyOf(senderId, clientMessageId))
      if (claim?.seq !== seq) return false
      claim.seq = toSeq
      return true
    },
  }
}
