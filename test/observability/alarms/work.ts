import type { AlarmCases } from './alarm-case.ts'

const preSend = (failuresPerMinute: number) => ({
  'parley_pre_send_failures_total{instance="a",reason="timeout"}': `0+${failuresPerMinute}x20`,
  'parley_pre_send_duration_seconds_count{instance="a"}': '0+1000x20',
})
const tasks = (outcome: string) => `parley_tasks_total{instance="a",kind="exportUser",outcome="${outcome}"}`
const failures = (status: string) => `parley_webhook_failures_total{instance="a",webhook="crm",status="${status}"}`
const lag = (instance: string) => `parley_webhook_lag_seconds{instance="${instance}",webhook="crm"}`
const givenUp = 'parley_webhook_given_up_total{instance="a",webhook="crm"}'

export const workAlarms: AlarmCases = {
  ParleyPushLag: {
    fires: {
      scraped: { 'parley_push_lag_seconds{instance="a"}': '0x2 61x20' },
      at: 8,
      says: 'Banners are more than a minute late',
    },
    silent: { when: 'it is a minute', scraped: { 'parley_push_lag_seconds{instance="a"}': '60x20' } },
  },
  ParleyPreSendFailures: {
    fires: {
      scraped: preSend(20),
      at: 6,
      says: 'The backend does not decide about 1 % of the messages it is asked about',
    },
    silent: { when: 'it is one in a hundred', scraped: preSend(10) },
  },
  ParleyTaskFailed: {
    fires: {
      scraped: { [tasks('failed')]: '0x5 1x20' },
      at: 6,
      says: 'A task of a backend (exportUser) has failed for good',
      labels: { kind: 'exportUser' },
    },
    silent: {
      when: 'it is tried again and done',
      scraped: { [tasks('retried')]: '0 1x20', [tasks('done')]: '0 0 1x20' },
    },
  },
  ParleyTasksStuck: {
    fires: {
      scraped: { [tasks('retried')]: '0x5 2+2x40' },
      at: 16,
      says: 'Tasks of backends (exportUser) are begun again and again',
      labels: { kind: 'exportUser' },
    },
    silent: { when: 'it is seldom', scraped: { [tasks('retried')]: '0x5 0.5+0.5x60' } },
  },
  ParleyWebhookLag: {
    fires: {
      scraped: { [lag('a')]: '0x20', [lag('b')]: '0x2 330x20' },
      at: 8,
      says: 'Webhook crm is 5m 30s behind',
      labels: { webhook: 'crm' },
    },
    silent: { when: 'it catches up', scraped: { [lag('a')]: '0 400 350 310 300x20' } },
  },
  ParleyWebhookFailures: {
    fires: {
      scraped: { [failures('503')]: '0+8x40' },
      at: 27,
      says: 'Webhook crm does not take events: 503',
      labels: { webhook: 'crm', status: '503' },
    },
    silent: { when: 'it is for some minutes', scraped: { [failures('503')]: '0 30 60 90 100x40' } },
  },
  ParleyWebhookDisabled: {
    fires: {
      scraped: { 'parley_webhook_disabled_total{instance="a"}': '0x5 1x9' },
      at: 6,
      says: 'A webhook was switched off, because its endpoint is gone or has failed for days',
    },
    silent: { when: 'it was yesterday', scraped: { 'parley_webhook_disabled_total{instance="a"}': '1x90' } },
  },
  ParleyWebhookGivenUp: {
    fires: {
      scraped: { [givenUp]: '0x5 3x9' },
      at: 6,
      says: 'Events for webhook crm were given up',
      labels: { webhook: 'crm' },
    },
    silent: { when: 'it was yesterday', scraped: { [givenUp]: '3x90' } },
  },
}
