// The service worker of the page, at /sw.js: banners for what comes while no window is open, and the way from them into the chat.

import {
  handleNotificationClick,
  handlePush,
  handleSubscriptionChange,
  type NotificationEventLike,
  type PushEventLike,
  type SubscriptionChangeEventLike,
  type WorkerOptions,
} from '../../../src/client/service-worker.ts'
import { elsewhere, hrefOf, readPlace } from '../place.ts'
import icon from './icon.png?no-inline'

type WorkerEvents = {
  push: PushEventLike
  notificationclick: NotificationEventLike
  pushsubscriptionchange: SubscriptionChangeEventLike
}
type Listen = <Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void) => void

const options: WorkerOptions = {
  icon,
  url(conversationId, owner) {
    const place = readPlace(owner ? new URL(owner.page).search : '')
    return hrefOf(elsewhere(place, conversationId ? { chat: conversationId } : {}))
  },
}

const listen: Listen = self.addEventListener.bind(self) as never
listen('push', (event) => handlePush(event, options))
listen('notificationclick', (event) => handleNotificationClick(event, options))
listen('pushsubscriptionchange', handleSubscriptionChange)
