import type { AlarmCases } from './alarm-case.ts'

const up = (instance: string) => `up{job="parley",instance="${instance}"}`
const ready = (check: string) => `parley_ready{job="parley",instance="a",check="${check}"}`
const a = { job: 'parley', instance: 'a' }

export const nodeAlarms: AlarmCases = {
  ParleyNodeDown: {
    fires: { scraped: { [up('a')]: '1x2 0x9', [up('b')]: '1x11' }, at: 4, says: 'a does not answer', labels: a },
    silent: { when: 'one scrape fails', scraped: { [up('a')]: '1x2 0 1x9' } },
  },
  ParleyNoNode: {
    fires: { scraped: { [up('a')]: '1x2 0x9', [up('b')]: '1x2 stale' }, at: 4, says: 'No node answers' },
    silent: { when: 'one of two answers', scraped: { [up('a')]: '0x11', [up('b')]: '1x11' } },
  },
  ParleyNodesGone: {
    fires: {
      scraped: { [up('a')]: '1x40', [up('b')]: '1x20 stale' },
      at: 26,
      says: 'Prometheus knows only 1 nodes, after more within the last hour',
    },
    silent: {
      when: 'one of three is taken away',
      scraped: { [up('a')]: '1x40', [up('b')]: '1x40', [up('c')]: '1x20 stale' },
    },
  },
  ParleyMetricsAbsent: {
    fires: { scraped: { [up('a')]: '1x9' }, at: 5, says: 'a answers, but without the metrics of a node', labels: a },
    silent: {
      when: 'it has them, or does not answer',
      scraped: { [up('a')]: '1x9', [ready('redis')]: '0x9', [up('b')]: '0x9' },
    },
  },
  ParleyNotReady: {
    fires: {
      scraped: { [ready('redis')]: '1x30', [ready('dynamodb')]: '1 1 0x7 1x20' },
      at: 3,
      until: 15,
      says: 'a is not ready: dynamodb',
      labels: { instance: 'a', check: 'dynamodb' },
    },
    silent: { when: 'one check fails', scraped: { [ready('redis')]: '1 1 0 1x6' } },
  },
  ParleyRestarts: {
    fires: {
      scraped: { 'process_start_time_seconds{job="parley",instance="a"}': '1000x5 2000x5 3000x5 4000x9' },
      at: 18,
      says: 'a was started 3 times within an hour',
      labels: a,
    },
    silent: {
      when: 'it is deployed twice',
      scraped: { 'process_start_time_seconds{job="parley",instance="a"}': '1000x5 2000x5 3000x40' },
    },
  },
  ParleyProcessErrors: {
    fires: {
      scraped: { 'parley_process_errors_total{instance="a",kind="unhandled_rejection"}': '0x3 1x9' },
      at: 4,
      says: 'a met an error that no code handles',
      labels: { instance: 'a' },
    },
    silent: {
      when: 'it was long ago',
      scraped: { 'parley_process_errors_total{instance="a",kind="unhandled_rejection"}': '1x30' },
    },
  },
  ParleyEventLoopLag: {
    fires: {
      scraped: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.05x2 0.3x9' },
      at: 8,
      says: 'a has more to do than one core can',
      labels: { instance: 'a' },
    },
    silent: {
      when: 'it is short, or the lag is small',
      scraped: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.3x4 0.25x9' },
    },
  },
  ParleyOpenFiles: {
    fires: {
      scraped: { 'process_open_fds{instance="a"}': '810x9', 'process_max_fds{instance="a"}': '1000x9' },
      at: 5,
      says: 'a runs out of files, and so of sockets',
      labels: { instance: 'a' },
    },
    silent: {
      when: 'a fifth is left',
      scraped: { 'process_open_fds{instance="a"}': '800x9', 'process_max_fds{instance="a"}': '1000x9' },
    },
  },
  ParleyClockOff: {
    fires: {
      scraped: { 'parley_clock_offset_seconds{instance="a"}': '0x2 -4x9' },
      at: 8,
      says: 'The clock of a is 4 s off',
      labels: { instance: 'a' },
    },
    silent: { when: 'it is less', scraped: { 'parley_clock_offset_seconds{instance="a"}': '-3x9 3x9' } },
  },
  ParleyDrainStuck: {
    fires: {
      scraped: { 'parley_draining{instance="a"}': '0x2 1x9' },
      at: 4,
      says: 'a was told to stop a minute ago and still runs',
      labels: { instance: 'a' },
    },
    silent: { when: 'it stops', scraped: { 'parley_draining{instance="a"}': '0x2 1 stale' } },
  },
}
