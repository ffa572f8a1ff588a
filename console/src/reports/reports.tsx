import { useState } from 'react'
import {
  type ReportFieldsFragment,
  ReportsDocument,
  type ReportsQuery,
  type ReportsQueryVariables,
} from '../generated/urql.ts'
import { Page } from '../parts/page.tsx'
import { Paged } from '../parts/paged.tsx'
import { hrefOf } from '../route.ts'
import { Report } from './report.tsx'
import styles from './reports.module.css'

type Variables = Pick<ReportsQueryVariables, 'state'>
const filters = { OPEN: 'Open', RESOLVED: 'Resolved', ALL: 'All' } as const
type Filter = keyof typeof filters

/** What users have reported. What nobody has dealt with is shown first. */
export function Reports({ state }: { state: string | undefined }) {
  const filter: Filter = state === 'RESOLVED' || state === 'ALL' ? state : 'OPEN'
  const [asked, setAsked] = useState(0)
  return (
    <Page title="Reports" onRefresh={() => setAsked(asked + 1)}>
      <nav aria-label="Which reports" className={styles.filters}>
        {Object.entries(filters).map(([each, words]) => (
          <a
            key={each}
            className="quiet-button"
            aria-current={each === filter ? 'page' : undefined}
            href={hrefOf({ view: 'reports', ...(each !== 'OPEN' && { at: { state: each } }) })}
          >
            {words}
          </a>
        ))}
      </nav>
      <Paged<ReportsQuery, Variables, ReportFieldsFragment>
        key={`${filter} ${asked}`}
        query={ReportsDocument}
        variables={{ ...(filter !== 'ALL' && { state: filter }) }}
        pageIn={(data) => data.reports}
        typename="Report"
        className={styles.reports}
        row={(report) => <Report key={report.id} report={report} />}
        empty={filter === 'OPEN' ? 'Nothing waits for you.' : 'There are none.'}
      />
    </Page>
  )
}
