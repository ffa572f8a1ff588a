import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Profile } from './profile.ts'

/** Nothing is ever waited for as long as that, unless it is broken. */
export const patience = { timeout: 60_000 }

const artifacts = fileURLToPath(new URL('../artifacts', import.meta.url))

type TickName = 'Waiting to be sent' | 'Sent' | 'Delivered' | 'Read' | 'Not sent'
export type ChatWindow = ReturnType<typeof createWindow>

/** A window of the demo, as somebody who looks at it sees it, and what they do in it. */
export function createWindow(page: Page, profile: Profile) {
  const messages = page.getByRole('log')
  const field = page.getByRole('textbox', { name: 'Message' })
  const banner = page.getByRole('status')
  const article = (body: string) => messages.getByRole('article').filter({ has: page.getByText(body, { exact: true }) })
  const chat = (name: string) => page.getByRole('list', { name: 'Chats' }).getByRole('link', { name })
  const log = (name: string) => page.getByRole('log', { name: new RegExp(`^Messages (with|in) ${name}$`) })
  const bodies = () => messages.locator('article [dir=auto] > span:first-child').allTextContents()

  return {
    page,
    profile,
    messages,
    field,
    banner,
    article,
    chat,
    bodies,

    async isConnected(status = 'Online'): Promise<void> {
      await page.locator('nav footer').getByText(status, { exact: true }).waitFor({ state: 'attached' })
    },
    async opens(name: string): Promise<void> {
      await chat(name).click()
      await log(name).waitFor()
    },
    async makesGroup(title: string, ids: readonly string[]): Promise<void> {
      await page.getByRole('button', { name: 'New group' }).click()
      const dialog = page.getByRole('dialog', { name: 'New group' })
      await dialog.getByRole('textbox', { name: 'Title' }).fill(title)
      for (const id of ids) {
        await dialog.getByRole('textbox', { name: 'People' }).fill(id)
        await dialog.getByRole('textbox', { name: 'People' }).press('Enter')
      }
      await dialog.getByRole('button', { name: 'Create group' }).click()
      await log(title).waitFor()
    },
    /** From the menu of a chat. */
    async chooses(name: string, item: string): Promise<void> {
      await page.getByRole('button', { name: `Options for ${name}` }).click()
      await page
        .getByRole('menu', { name: `Options for ${name}` })
        .getByRole('menuitem', { name: item })
        .click()
    },
    /** From the menu of a message. */
    async does(body: string, item: string): Promise<void> {
      await article(body).hover()
      await article(body).getByRole('button', { name: 'Options for this message' }).click()
      await page.getByRole('menu').getByText(item, { exact: true }).click()
    },
    /** Under whose name they are shown; nothing where a name stands above already. */
    senders: () => messages.locator('article p[class*=sender]').allTextContents(),
    async says(...texts: string[]): Promise<void> {
      for (const text of texts) {
        await field.fill(text)
        await field.press('Enter')
      }
    },
    /** Exactly these, in this order. */
    sees: (expected: readonly string[]) => expect.poll(bodies, patience).toEqual(expected),
    /** The tick of a message. */
    ticks: (body: string, name: TickName) => article(body).getByRole('img', { name, exact: true }).waitFor(),
    isOffline: () => banner.getByText('You are offline. Messages wait here and go out by themselves.').waitFor(),
    /** The banner has nothing to say. */
    isCalm: () => expect.poll(() => banner.textContent(), patience).toBe(''),
    isTitled: (title: string) => expect.poll(() => page.title(), patience).toBe(title),

    async losesItsNetwork(): Promise<void> {
      profile.expectTrouble()
      await profile.context.setOffline(true)
    },
    findsItsNetwork: () => profile.context.setOffline(false),
    losesTheServer: () => profile.gateIs('shut'),
    findsTheServer: () => profile.gateIs('open'),
    /** What it asks the server for, and has this in it, waits on the way. */
    holds: (part: string) => profile.hold(part),
    isRefused: (message: string | undefined) => profile.refuse('SendMessage', message),
    /** Kept for whoever wants to look. */
    keep: (name: string) => page.screenshot({ path: `${artifacts}/${name}.png` }),
  }
}

/** Whether somebody looks at the window. Playwright makes every window believe that it has the focus. */
export async function lookAt({ page }: ChatWindow, looked: boolean): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Emulation.setFocusEmulationEnabled', { enabled: looked })
}

/** Presses Tab until it is there, as somebody would who has no mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const arrived = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 40; presses += 1) {
    if (await arrived()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${target}`)
}
