// The service worker of the page, at /sw.js: banners for what comes while no window is open, and the way from them into the chat.

import { listenForPush } from '../../../src/client/service-worker.ts'
import { elsewhere, hrefOf, readPlace } from '../place.ts'
import icon from './icon.png?no-inline'

listenForPush({
  icon,
  url(conversationId, owner) {
    const place = readPlace(owner ? new URL(owner.page).search : '')
    return hrefOf(elsewhere(place, conversationId ? { chat: conversationId } : {}))
  },
})
