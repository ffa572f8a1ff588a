import { BellIcon, CheckIcon, FlagIcon, GroupIcon, NewChatIcon, SwitchIcon } from '../../../demo/src/parts/icons.tsx'
import type { View } from '../route.ts'

export const viewNames: Record<View, string> = {
  users: 'Users',
  conversations: 'Conversations',
  reports: 'Reports',
  webhooks: 'Webhooks',
  events: 'Events',
  tasks: 'Tasks',
}

export const viewIcons: Record<View, typeof BellIcon> = {
  users: GroupIcon,
  conversations: NewChatIcon,
  reports: FlagIcon,
  webhooks: SwitchIcon,
  events: BellIcon,
  tasks: CheckIcon,
}
