/** One of GraphiQL's example tabs. They walk through one conversation, in the order a newcomer plays them. */
type Tab = { asWhom: 'alice' | 'bob'; query: string; variables?: Record<string, unknown> }

/** `clientMessageId` is fresh for each page: with an old one, the first play would be a retry of an earlier visit. */
export const exampleTabs = (conversationId: string, clientMessageId: string): Tab[] => [
  {
    asWhom: 'bob',
    query: `# 1. Bob listens.
# Press play: the stream stays open and waits.
#
# GraphiQL ends a stream when you leave its tab.
# To watch it live, open this page in a second
# window and send from there (tab 2). Or come
# back after sending and play again: what Bob
# has missed comes first, with catchUp: true,
# until he says that he has it (tab 3).

subscription BobReceives {
  messageAdded {
    catchUp
    previousSeq
    message {
      seq
      sender {
        id
        name
      }
      body
      sentAt
    }
  }
}
`,
  },
  {
    asWhom: 'alice',
    query: `# 2. Alice writes to Bob.
# Press play: the answer comes when the message
# is stored, with its place in the chat: seq.
#
# Press play again: the same clientMessageId is
# a retry. You get the first message once more,
# with duplicate: true.
#
# Change the id under "Variables" to send another
# message. Keep it and change only the body to
# see a conflict refused.

mutation AliceSends($input: SendMessageInput!) {
  sendMessage(input: $input) {
    duplicate
    message {
      id
      seq
      conversationId
      body
      tick
    }
  }
}
`,
    variables: { input: { clientMessageId, to: { userId: 'bob' }, body: 'Hello, Bob!' } },
  },
  {
    asWhom: 'bob',
    query: `# 3. Bob's device has got seq 1: the double tick.
# Press play after tab 2.
#
# Boundaries only rise. A seq the chat has not
# reached is refused: try 99.

mutation BobAcks($input: AckInput!) {
  ack(input: $input) {
    ticks {
      userId
      lastDeliveredSeq
      lastReadSeq
    }
  }
}
`,
    variables: { input: { conversationId, seq: 1 } },
  },
  {
    asWhom: 'bob',
    query: `# 4. Bob has read up to seq 1: the blue tick.
# Press play after tab 2. It implies tab 3.

mutation BobReads($input: MarkReadInput!) {
  markRead(input: $input) {
    ticks {
      userId
      lastDeliveredSeq
      lastReadSeq
    }
  }
}
`,
    variables: { input: { conversationId, seq: 1 } },
  },
  {
    asWhom: 'alice',
    query: `# 5. Alice watches how far Bob has got.
# Press play: first where he is now, then every
# change.
#
# Leave it open, and in a second window send
# more (tab 2), ack and read it (tabs 3 and 4).

subscription AliceWatchesTheTicks($conversationId: ID) {
  ticksChanged(conversationId: $conversationId) {
    userId
    lastDeliveredSeq
    lastReadSeq
  }
}
`,
    variables: { conversationId },
  },
  {
    asWhom: 'alice',
    query: `# 6. The history, newest first, and all of
# Alice's chats. Press play after tab 2.
#
# To page back, give messages the last
# endCursor as its argument after.

query History($conversationId: ID!) {
  messages(conversationId: $conversationId, first: 10) {
    edges {
      cursor
      node {
        seq
        sender {
          id
        }
        body
        sentAt
        tick
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
  conversations(first: 10) {
    edges {
      node {
        id
        kind
        lastSeq
        unreadCount
        members {
          id
          name
        }
      }
    }
  }
}
`,
    variables: { conversationId },
  },
]
