const words: Readonly<Record<string, string>> = {
  SPAM: 'Spam',
  HARASSMENT: 'Harassment',
  HATE: 'Hate',
  VIOLENCE: 'Violence',
  SEXUAL: 'Sexual',
  SELF_HARM: 'Self-harm',
  ILLEGAL: 'Illegal',
  OTHER: 'Other',
}

/** Names a reason; one that is new here by its own name. */
export const reasonWords = (reason: string): string => words[reason] ?? reason
