import { createClient } from 'graphql-ws'
import { useEffect, useState } from 'react'
import { stringifyDocument } from 'urql'
import { type EventFieldsFragment, EventsDocument, type EventsSubscription } from '../generated/urql.ts'
import { endpoint } from '../session/admin-client.ts'
import { useSignedIn } from '../session/session-provider.tsx'

type Feed = { events: readonly EventFieldsFragment[]; live: boolean; problem?: string | undefined }

const shownMax = 200
/** The page is drawn anew so often at most, however much happens. */
const drawEveryMs = 200
const reconnectMs = 2000
const tokenRefused = 4403

/** Follows the feed from now on, and after a break from where it was. The newest event is first. */
export function useEvents(paused: boolean): Feed & { clear: () => void } {
  const { token, onRefused } = useSignedIn()
  const [feed, setFeed] = useState<Feed>({ events: [], live: false })
  // The position outlives a pause, so that what happened meanwhile comes afterwards.
  const [last] = useState<{ position?: string }>({})

  useEffect(() => {
    if (paused) return
    const client = createClient({
      url: new URL(endpoint, window.location.href).href.replace(/^http/, 'ws'),
      connectionParams: { authorization: `Bearer ${token.text}` },
      retryAttempts: 0,
      on: { connected: () => setFeed((before) => ({ ...before, live: true, problem: undefined })) },
    })
    let waiting: EventFieldsFragment[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let drawing: ReturnType<typeof setTimeout> | undefined
    let over = false
    const draw = () => {
      drawing = undefined
      const fresh = waiting.reverse()
      waiting = []
      setFeed((before) => ({ ...before, events: [...fresh, ...before.events].slice(0, shownMax) }))
    }
    const take = (event: EventFieldsFragment) => {
      last.position = event.position
      waiting.push(event)
      drawing ??= setTimeout(draw, drawEveryMs)
    }
    const stopped = (error?: unknown) => {
      if (over) return
      setFeed((before) => ({ ...before, live: false, problem: refusalOf(error) }))
      if (closeCodeOf(error) === tokenRefused) onRefused('The server does not accept your token any more.')
      else if (refusalOf(error) === undefined) timer = setTimeout(follow, reconnectMs)
    }
    function follow(): void {
      const variables = last.position === undefined ? {} : { after: last.position }
      client.subscribe<EventsSubscription>(
        { query: stringifyDocument(EventsDocument), variables },
        {
          next: ({ data, errors }) => (data ? take(data.events) : stopped(errors)),
          error: stopped,
          complete: stopped,
        },
      )
    }
    follow()
    return () => {
      over = true
      clearTimeout(timer)
      clearTimeout(drawing)
      draw()
      void client.dispose()
      setFeed((before) => ({ ...before, live: false }))
    }
  }, [paused, token, onRefused, last])

  return { ...feed, clear: () => setFeed((before) => ({ ...before, events: [] })) }
}

/** Returns what the server says is wrong with the subscription itself; undefined if the connection ended, which is opened again. */
const refusalOf = (error: unknown): string | undefined =>
  Array.isArray(error) ? String((error[0] as { message: string }).message) : undefined

const closeCodeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
