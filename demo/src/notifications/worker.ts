// The service worker of the page, at /sw.js. It shows banners while no window is open, and opens the chat of a clicked one.

import { listenForPush } from '@parley/client/service-worker'
import { hrefOf, readRoute, routeTo } from '../route.ts'
import icon from './icon.png?no-inline'

listenForPush({
  icon,
  url(conversationId, owner) {
    const route = readRoute(owner ? new URL(owner.page).search : '')
    return hrefOf(routeTo(route, conversationId ? { chat: conversationId } : {}))
  },
})
