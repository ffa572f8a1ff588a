import { useBlockedUsers } from '@parley/client/react'

export const useBlocked = (userId: string | undefined): boolean => useBlockedUsers().some(({ id }) => id === userId)
