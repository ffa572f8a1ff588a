import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { consoleOfThisFile, devToken } from './kit.ts'

const at = consoleOfThisFile()
const weekMs = 7 * 24 * 3600_000

test('a token opens it, in this tab alone; one that does not is told why', async () => {
  const window = await at.visit('/admin#/users/nobody')
  window.profile.expectTrouble()
  const { page } = window
  const token = page.getByRole('textbox', { name: 'token' })
  const paste = async (text: string) => {
    await token.fill(text)
    await page.getByRole('button', { name: 'Sign in with it' }).click()
  }
  const isTold = async (text: string, why: RegExp) => {
    await paste(text)
    await page.getByRole('alert').getByText(why).waitFor()
  }
  await isFine(window, 'console-sign-in')
  const good = await devToken(at.url(), 'shop', { scope: 'parley:admin' })
  await isTold('secret', /This is no token/)
  await isTold(await devToken(at.url(), 'alice'), /user’s token: it has no scope/)
  await isTold(await devToken(at.url(), 'shop', { scope: 'orders' }), /scope of this token is “orders”/)
  await isTold(`${good.slice(0, -10)}AAAAAAAAAA`, /The token was refused/)
  await isFine(window, 'console-refused')

  await paste(`Bearer ${good}`)
  await page.getByText('There is nobody with the id').waitFor()
  await page.getByText('shop', { exact: true }).waitFor()
  const kept = await page.evaluate(
    '[Object.values(sessionStorage), Object.values(localStorage), location.href, document.cookie]',
  )
  expect(kept).toEqual([[good], [], `${at.url()}/admin#/users/nobody`, ''])
  await page.reload()
  await page.getByText('There is nobody with the id').waitFor()
  const other = await at.visit('/admin', { beside: window })
  await other.page.getByRole('button', { name: 'Sign in with it' }).waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await token.waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

test('a token that expires closes it, and what was typed is there again', async () => {
  const window = await at.visit('/admin#/users')
  const { page } = window
  await page.clock.install()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('textbox', { name: 'User id' }).fill('grace-hopper')
  await page.clock.fastForward(weekMs + 60_000)
  await page.getByText('Your token has expired.').waitFor()
  expect(await page.getByRole('textbox', { name: 'User id' }).isVisible()).toBe(false)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await isFine(window, 'console-expired')
  // The clock of the page is a week ahead, and so would be every token of this server. From here on its clock is right again.
  await page.clock.setSystemTime(new Date())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  expect(await page.getByRole('textbox', { name: 'User id' }).inputValue()).toBe('grace-hopper')
})
