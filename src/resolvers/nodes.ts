/** The kinds of things an id can name, told apart by prefix; a user's id has none. */
export function kindOfNode(id: string): 'Conversation' | 'Message' | 'User' {
  if (id.startsWith('msg_')) return 'Message'
  return id.startsWith('dm_') || id.startsWith('grp_') ? 'Conversation' : 'User'
}
