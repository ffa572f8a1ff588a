/** What each page in docs/clients builds: one conversation and the chat list, as lines of text. */
export type OpenChat = (options: ChatOptions) => Promise<SmallChat>

export type ChatOptions = {
  /** Of the WebSocket; clients that use HTTP make theirs of it. */
  url: string
  token: () => string
  userId: string
  conversationId: string
  /** Called with everything there is to show, whenever something of it is new. */
  show: (what: { messages?: string[]; chats?: string[] }) => void
  /** Called with each message of somebody else, of any conversation, when it comes. */
  notify: (message: string) => void
}

export type SmallChat = {
  loadOlder(): Promise<unknown>
  send(body: string): Promise<unknown>
  edit(seq: number, body: string): Promise<unknown>
  close(): Promise<unknown>
}

/** Keeps all that was ever shown, and waits for what shall be shown. */
export function createScreen() {
  const history: string[][] = []
  const waiting = new Set<() => void>()
  const notices: string[] = []
  let messages: readonly string[] = []
  let chats: readonly string[] = []

  function until(ready: () => boolean, what: string, withinMs = 30_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const failure = () => new Error(`Not shown: ${what}. Shown is:\n${[...messages, '--', ...chats].join('\n')}`)
      const timer = setTimeout(() => {
        waiting.delete(check)
        reject(failure())
      }, withinMs)
      const check = () => {
        if (!ready()) return
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  }

  return {
    show(what: { messages?: string[]; chats?: string[] }) {
      messages = what.messages ?? messages
      chats = what.chats ?? chats
      if (what.messages) history.push(what.messages)
      for (const check of [...waiting]) check()
    },
    notices,
    notify(notice: string) {
      notices.push(notice)
      for (const check of [...waiting]) check()
    },
    notifies: (notice: string) => until(() => notices.includes(notice), notice),
    shows: (lines: readonly string[]) =>
      until(() => messages.join('\n') === lines.join('\n'), `exactly\n${lines.join('\n')}`),
    showsLine: (line: string) => until(() => messages.includes(line), line),
    showsChats: (lines: readonly string[]) => until(() => chats.join('\n') === lines.join('\n'), lines.join('\n')),
    hasShown: (line: string) => history.some((each) => each.includes(line)),
    /** Texts that were on the screen twice at any moment. */
    doubles: () => [...new Set(history.flatMap(doublesIn))],
  }
}

const doublesIn = (lines: readonly string[]): string[] => {
  const bodies = lines.map((line) => line.replace(/ \(\w+\)$/, ''))
  return bodies.filter((body, i) => bodies.indexOf(body) !== i)
}
