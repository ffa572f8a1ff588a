/** Names of hosts come from the environment, and go into a page. */
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const style =
  'margin: 1rem; padding: .8rem 1rem; border: 2px solid #b3261e; border-radius: 8px; font-family: system-ui, sans-serif'

/** Warns on the pages of a development mode that other machines can reach. */
export const warningOnPage = (warning: string | undefined): string =>
  warning === undefined ? '' : `<p role="alert" style="${style}"><strong>Warning.</strong> ${escaped(warning)}</p>`

/** Puts the warning at the top of a page that Vite has built. */
export const withWarning =
  (warning: string | undefined) =>
  (html: string): string =>
    html.replace('<body>', () => `<body>${warningOnPage(warning)}`)
