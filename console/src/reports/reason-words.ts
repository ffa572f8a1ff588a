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

/** Names a reason. One that this page does not know yet is shown by its own name. */
export const reasonWords = (reason: string): string => words[reason] ?? reason
