import { ConversationsDocument } from '../../packages/client/src/generated/graphql.ts'
import type { Bench } from '../bench.ts'
import { followAsClient, followMessages } from '../load/client-streams.ts'
import { addSpent, type Fleet, spentOn, startFleet } from '../load/fleet.ts'
import type { Account } from '../load/graphql-socket.ts'
import { acknowledge, newAccount, openPerson, type Person, type Said, say } from '../load/person.ts'
import type { Sheet } from '../sheet.ts'

// Devices that come back with all messages they had: some at a time, and all of them at once. Each opens a socket and its streams with its positions, and
// reads the first page of its list, as the client does.

const chatsEach = 20
const atATime = 8

export async function reconnects(bench: Bench, sheet: Sheet): Promise<void> {
  const users = bench.choose({ quick: 2 * chatsEach, default: 100, full: 1000 })
  for (const size of [1, 2, 4]) {
    const fleet = await startFleet(bench, size, { CHATS_PER_HOUR: '0' })
    const { accounts, positions } = await acquainted(fleet, users)
    const come = (how: (account: Account, i: number) => Promise<Person>, each: number) => batches(accounts, each, how)
    const attach = async (account: Account, i: number) => {
      const person = await openPerson(fleet.portOf(i), account)
      await followAsClient(person, positions.get(account.userId) ?? [])
      await person.call(ConversationsDocument.toString(), { first: 50, after: null })
      return person
    }
    const attachAlone = async (account: Account, i: number) => {
      const person = await openPerson(fleet.portOf(i), account)
      await followMessages(person, positions.get(account.userId) ?? [])
      return person
    }
    await closeAll(come(attach, atATime))
    for (let round = 0; round < bench.choose({ quick: 1, default: 2, full: 5 }); round += 1) {
      for (const [what, how, each] of [
        ['scaling: an attach, one stream of messages', attachAlone, atATime],
        ['scaling: an attach, as the client does it', attach, atATime],
        ['scaling: a reconnect in a storm, as the client does it', attach, users],
      ] as const) {
        let open: Person[] = []
        const spent = await spentOn(fleet, undefined, async () => {
          open = await come(how, each)
        })
        addSpent(sheet, what, fleet.name, spent, users)
        if (each === users)
          sheet.add('scaling: all are back after a storm', `${users} users, ${fleet.name}`, 's', spent.atMs / 1000)
        for (const person of open) person.close()
      }
    }
    await fleet.stop()
  }
}

async function closeAll(opening: Promise<Person[]>): Promise<void> {
  for (const person of await opening) person.close()
}

async function batches(
  accounts: readonly Account[],
  each: number,
  how: (account: Account, i: number) => Promise<Person>,
): Promise<Person[]> {
  const open: Person[] = []
  for (let i = 0; i < accounts.length; i += each)
    open.push(...(await Promise.all(accounts.slice(i, i + each).map((one, n) => how(one, i + n)))))
  return open
}

/** Makes the users and their chats: each has one with the next few, in a ring. */
async function acquainted(fleet: Fleet, users: number) {
  const accounts = Array.from({ length: users }, newAccount)
  const positions = new Map<string, Said[]>(accounts.map(({ userId }) => [userId, []]))
  const received = new Map<string, Said[]>(accounts.map(({ userId }) => [userId, []]))
  await batches(accounts, atATime, async (account, i) => {
    const person = await openPerson(fleet.portOf(i), account)
    for (let next = 1; next <= chatsEach / 2; next += 1) {
      const other = accounts[(i + next) % users]
      if (!other) continue
      const said = await say(person, { userId: other.userId })
      for (const { userId } of [account, other]) positions.get(userId)?.push(said)
      received.get(other.userId)?.push(said)
    }
    person.close()
    return person
  })
  await batches(accounts, atATime, async (account, i) => {
    const person = await openPerson(fleet.portOf(i), account)
    for (const said of received.get(account.userId) ?? []) await acknowledge(person, said)
    person.close()
    return person
  })
  return { accounts, positions }
}
