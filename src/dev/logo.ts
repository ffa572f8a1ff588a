/** The logo shows two people who take turns. */
export const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" fill="none" stroke-width="3"' +
  ' stroke-linejoin="round"><path d="M4 6h17v11H11l-5 4v-4H4z" stroke="#2f7d6b"/>' +
  '<path d="M25 13h3v11h-2v4l-5-4h-8v-3" stroke="#d9822b"/></svg>'

export const icon = `data:image/svg+xml;base64,${Buffer.from(logo).toString('base64')}`
