import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { demoOfThisFile } from '../demo/kit.ts'
import type { ChatWindow } from '../demo/window.ts'

type Claims = { name?: string; scope?: string }

/** What the server gives out in development mode. */
export async function devToken(url: string, userId: string, claims: Claims = {}): Promise<string> {
  const { token } = (await post(`${url}/dev/token`, { userId, ...claims })) as { token: string }
  return token
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  return (await fetch(url, init)).json()
}

/** The console and the APIs of one server. */
export function consoleOfThisFile(ownServer?: Record<string, string>) {
  const demo = demoOfThisFile(ownServer && { ownServer })

  async function ask<Data>(path: string, token: string, query: string, variables: object): Promise<Data> {
    const answer = await post(demo.url() + path, { query, variables }, { authorization: `Bearer ${token}` })
    const { data, errors } = answer as { data: Data; errors?: { message: string }[] }
    if (errors?.[0]) throw new Error(errors[0].message)
    return data
  }

  return {
    url: demo.url,
    visit: demo.visit,
    /** A window in which somebody has signed in, at this view. */
    async open(view = '#/users', settings: Parameters<typeof demo.visit>[1] = {}) {
      const window = await demo.visit(`/admin${view}`, settings)
      await window.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await window.page.getByRole('navigation', { name: 'Views' }).waitFor()
      return window
    },
    admin: async <Data>(query: string, variables: object = {}) =>
      ask<Data>('/admin/graphql', await devToken(demo.url(), 'shop', { scope: 'parley:admin' }), query, variables),
    /** Whether the API for users accepts the token. */
    accepts: (token: string) =>
      ask('/graphql', token, '{ __typename }', {}).then(
        () => true,
        () => false,
      ),
    as: async <Data>(userId: string, query: string, variables: object = {}) =>
      ask<Data>('/graphql', await devToken(demo.url(), userId), query, variables),
  }
}

/** On a phone too, everything is in reach, and nothing is wider than the screen. */
export async function isFineOnPhone(window: ChatWindow, state: string): Promise<void> {
  const { page } = window
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 780 })
  await isFine(window, `${state}-phone`)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  if (size) await page.setViewportSize(size)
}

/** Ids that no other test has. */
export function freshIds<Name extends string>(...names: Name[]): Record<Name, string> {
  const run = randomUUID().slice(0, 8)
  return Object.fromEntries(names.map((name) => [name, `${name}-${run}`])) as Record<Name, string>
}

/** Fills in the dialog that is open and does what it asks about. */
export async function answer(page: Page, act: string, fields: Record<string, string> = {}): Promise<void> {
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: act, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}
