export const eventTypes: readonly string[] = [
  ...['message.sent', 'message.edited', 'message.deleted', 'message.reacted'],
  ...['conversation.created', 'conversation.updated', 'members.added', 'members.removed'],
  ...['user.updated', 'user.banned', 'user.erased', 'report.created', 'webhook.disabled'],
]
