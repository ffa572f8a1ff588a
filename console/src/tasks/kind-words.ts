const words: Readonly<Record<string, string>> = {
  exportConversation: 'Export',
  exportUser: 'Export',
  eraseUser: 'Erasure',
}

/** Names a task. A kind that this page does not know yet is shown by its own name. */
export const kindWords = (kind: string): string => words[kind] ?? kind
