// Executes queries and mutations.

import { locatedError } from 'graphql'
import { type Answer, answerOf, writeOr } from '../../engine/graphql/answer.ts'
import type { Compiled } from '../../engine/graphql/compiled-operation.ts'
import type { Run } from '../../engine/graphql/compiled-values.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import type { Admission } from '../limits/admission.ts'
import type { Operations } from './operations.ts'
import { type Outcome, operationOf } from './outcome.ts'
import type { OperationContext, Prepared } from './prepared.ts'
import type { Reference } from './reference.ts'

export type ExecuteOptions = {
  reference: Reference
  outcome: Outcome
  operations: Operations
  log: OperationLog
  admission: Admission
}

/** Never rejects: errors are in the answer. It answers in the same turn if there is nothing to wait for. */
export type Execute = (prepared: Prepared) => Answer | Promise<Answer>

type Finished = ReturnType<OperationLog>

export function createExecute({ reference, outcome, operations, log, admission }: ExecuteOptions): Execute {
  const { mapErrors, refused, problemsOf, traced } = outcome

  function execute(prepared: Prepared): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const operation = operationOf(plan, context)
    const finished = log(operation)
    const paid = plan.rootFields > 1 ? payThenPerform : perform
    try {
      const work = traced ? () => traced(operation, context, async () => paid(prepared)) : paid
      const given = operations.run(work, prepared)
      if (!(given instanceof Promise)) return finish(given, finished)
      return given.then(
        (each) => finish(each, finished),
        (error) => finish(answerOf(refused(context, error)), finished),
      )
    } catch (error) {
      return finish(answerOf(refused(context, error)), finished)
    }
  }

  function finish(given: Answer, finished: Finished): Answer {
    finished(given.result && problemsOf(given.result.errors))
    return given
  }

  /** The rate limit counts each root field. The first one was counted before the document was read. */
  function payThenPerform(prepared: Prepared): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const admitted = admission.admit(context.viewer, context.address ?? '', plan.rootFields - 1)
    return admitted === undefined ? perform(prepared) : admitted.then(() => perform(prepared))
  }

  /**
   * Runs the compiled operation, or has graphql-js execute what is not compiled. An error of the root field is located and answered at once;
   * any other error has graphql-js execute again, from the root field's value, so that error messages are always graphql-js's own.
   */
  function perform(prepared: Prepared): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const { compiled } = plan
    const variables = compiled?.coerce(prepared.variables)
    if (!compiled || !variables) return performByReference(prepared)
    const run: Run = { context: reference.contextFor(context), variables, isPersonal: false }
    let value: unknown
    try {
      value = compiled.resolve(undefined, run)
    } catch (error) {
      return rootFailed(compiled, context, error)
    }
    if (!(value instanceof Promise)) return written(prepared, compiled, run, value)
    return value.then(
      (each) => written(prepared, compiled, run, each),
      (error) => rootFailed(compiled, context, error),
    )
  }

  function written(prepared: Prepared, compiled: Compiled, run: Run, value: unknown): Answer | Promise<Answer> {
    return writeOr(compiled, value, run, async () =>
      answerOf(mapErrors(prepared.context, await reference.replay(prepared, value))),
    )
  }

  function rootFailed({ nodes, key, isNullable }: Compiled, context: OperationContext, error: unknown): Answer {
    const located = locatedError(error, nodes, [key])
    return answerOf(mapErrors(context, { errors: [located], data: isNullable ? { [key]: null } : null }))
  }

  /** Maps the errors here, so that an error that comes too late for the client is still logged. */
  async function performByReference(prepared: Prepared): Promise<Answer> {
    return answerOf(mapErrors(prepared.context, await reference.execute(prepared)))
  }

  return execute
}
