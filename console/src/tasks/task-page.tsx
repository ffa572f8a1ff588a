import { useEffect } from 'react'
import { type TaskFieldsFragment, useTaskQuery } from '../generated/urql.ts'
import { Badge, Facts, Id, Moment } from '../parts/facts.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/trouble.tsx'
import { usePolling } from '../parts/use-polling.ts'
import { listed, remember } from '../session/tab-storage.ts'
import { kindWords } from './kind-words.ts'
import styles from './tasks.module.css'

const pollMs = 2000

export function TaskPage({ id }: { id: string }) {
  const [found, ask] = useTaskQuery({ variables: { id } })
  const refresh = () => ask({ requestPolicy: 'network-only' })
  const task = found.data?.task
  const known = task !== undefined && task !== null
  useEffect(() => {
    if (known) remember('tasks', id)
  }, [known, id])
  usePolling(refresh, pollMs, task?.state === 'QUEUED' || task?.state === 'RUNNING')
  return (
    <Page title={task ? (aboutOf(id) ?? kindWords(task.kind)) : 'Task'} back="tasks" onRefresh={refresh}>
      <Loaded of={found} onRetry={refresh}>
        {() =>
          task ? (
            <TaskFacts task={task} />
          ) : (
            <Empty>
              There is no task with the id <Id>{id}</Id>.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

const aboutOf = (id: string): string | undefined => listed('tasks').find((each) => each.id === id)?.about

const stateWords: Record<TaskFieldsFragment['state'], string> = {
  QUEUED: 'Waits',
  RUNNING: 'Runs',
  DONE: 'Done',
  FAILED: 'Failed',
}

function TaskFacts({ task: { id, state, progress, url, error, createdAt, finishedAt } }: { task: TaskFieldsFragment }) {
  return (
    <Facts
      of={{
        Id: <Id>{id}</Id>,
        State: <Badge {...(state === 'FAILED' && { tone: 'alarm' })}>{stateWords[state]}</Badge>,
        Progress: (
          <span className={styles.progress}>
            <progress aria-label="Progress" value={progress} /> {Math.floor(progress * 100)} %
          </span>
        ),
        Error: error ?? undefined,
        Result: url ? (
          <a href={url} target="_blank" rel="noreferrer">
            Fetch the file
          </a>
        ) : undefined,
        Begun: <Moment at={createdAt} />,
        Finished: finishedAt ? <Moment at={finishedAt} /> : undefined,
      }}
    />
  )
}
