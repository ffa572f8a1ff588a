import { copyKey, deploymentKey, readyKey } from '../store/deployment.ts'
import { type TableName, tables } from '../store/rows/tables.ts'
import { CopyError, type Row } from './place.ts'

// users "#deployment" and "#copy" say what the rows of a place are, and whether they are all there. "#ready" says nothing of them.

type OwnRow = { deployment_id?: string | undefined } | undefined
export type OwnRows = { deployment: OwnRow; copy: OwnRow }

/** Returns whether the row is one of those that are copied. */
export const isCopied = (table: TableName, row: Row): boolean =>
  table !== 'users' || !notCopied.some(({ user_id }) => row.user_id === user_id)

const notCopied = [deploymentKey, copyKey, readyKey]

/** The id that "#copy" has where the source has none. */
const noDeployment = 'none'

export const copyRowOf = (deploymentId: string | undefined) => ({
  ...copyKey,
  deployment_id: deploymentId ?? noDeployment,
})

/** Returns the id of a source, or throws if it is only half a copy itself. */
export function sourceDeployment(name: string, { deployment, copy }: OwnRows): string | undefined {
  if (copy && !deployment) throw new CopyError(`${name} is itself the target of a copy that has not ended.`)
  return deployment?.deployment_id
}

/** Decides whether a target may get the rows of this deployment. */
export async function admit(
  name: string,
  deploymentId: string | undefined,
  { deployment, copy }: OwnRows,
  isEmpty: () => Promise<boolean>,
): Promise<{ isResumed: boolean }> {
  if (deployment)
    throw new CopyError(
      deployment.deployment_id === deploymentId
        ? `${name} already holds this deployment, and may have gone on since: nothing was copied.`
        : `${name} holds another deployment, ${deployment.deployment_id}: nothing was copied.`,
    )
  if (copy) {
    if (copy.deployment_id !== copyRowOf(deploymentId).deployment_id)
      throw new CopyError(
        `${name} holds part of a copy of another deployment, ${copy.deployment_id}: nothing was copied.`,
      )
    return { isResumed: true }
  }
  if (!(await isEmpty()))
    throw new CopyError(`${name} holds rows that are no copy of this deployment: nothing was copied.`)
  return { isResumed: false }
}

/** Returns the key of a row of this table. */
export const keyOf = (table: TableName, row: Row): Row =>
  Object.fromEntries(Object.keys(tables[table].key).map((column) => [column, row[column]]))
