const words: Readonly<Record<string, string>> = {
  exportConversation: 'Export',
  exportUser: 'Export',
  eraseUser: 'Erasure',
}

/** Names a task; a kind that is new here by its own name. */
export const kindWords = (kind: string): string => words[kind] ?? kind
