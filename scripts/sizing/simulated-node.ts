/** `calls` are the calls to DynamoDB that are left. `callMs` is how long one takes, if not as usual. */
export type Job = {
  kind: 'open' | 'send' | 'stream' | 'list'
  bornMs: number
  device?: number
  attempt?: number
  failures?: number
  calls?: number
  callMs?: number
}
export type Node = ReturnType<typeof createNode>

const callsAtATime = 128
const callsWaitingMax = 20_000
const streamsAtATime = 32
const streamsWaitingMax = 50_000

/** Makes a node: a core, a line of calls to DynamoDB, and a gate for streams that begin. A job with several calls stands in line for each. */
export function createNode(cpuMs: Readonly<Record<'send' | 'stream' | 'list', number>>) {
  let calls = createLine()
  let streams = createLine()
  let beginning = 0

  function add(job: Job): boolean {
    if (calls.length() >= callsWaitingMax) return false
    calls.push(job)
    return true
  }

  function letStreamsIn(): void {
    while (beginning < streamsAtATime && streams.length() > 0 && calls.length() < callsWaitingMax) {
      const next = streams.shift()
      if (next) calls.push(next)
      beginning += 1
    }
  }

  return {
    die(): void {
      calls = createLine()
      streams = createLine()
    },
    add,
    addStream(job: Job): boolean {
      if (streams.length() >= streamsWaitingMax) return false
      streams.push(job)
      letStreamsIn()
      return true
    },
    callLine: () => calls.length(),
    streamLine: () => streams.length(),
    /** Returns the jobs that are done. */
    work(tickMs: number, cpuForMs: number, callMs: number): Job[] {
      const done: Job[] = []
      let [cpuLeft, callsLeft] = [cpuForMs, callsAtATime * tickMs]
      for (let job = calls.shift(); job; job = calls.shift()) {
        cpuLeft -= job.kind === 'open' ? 0 : cpuMs[job.kind]
        callsLeft -= job.callMs ?? callMs
        job.calls = (job.calls ?? 1) - 1
        if (job.calls > 0) calls.push(job)
        else {
          done.push(job)
          if (job.kind === 'stream') beginning -= 1
          letStreamsIn()
        }
        if (cpuLeft <= 0 || callsLeft <= 0) break
      }
      return done
    },
  }
}

function createLine() {
  let [jobs, from]: [Job[], number] = [[], 0]
  return {
    length: () => jobs.length - from,
    push: (job: Job) => void jobs.push(job),
    shift(): Job | undefined {
      const job = jobs[from]
      from += job ? 1 : 0
      if (from > 1000 && from > jobs.length / 2) [jobs, from] = [jobs.slice(from), 0]
      return job
    },
  }
}
