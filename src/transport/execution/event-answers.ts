import type { ExecutionResult, GraphQLError } from 'graphql'
import { type Answer, answerOf, writeOr } from '../../engine/graphql/answer.ts'
import type { Compiled } from '../../engine/graphql/compiled-operation.ts'
import type { Run } from '../../engine/graphql/compiled-values.ts'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { Share, SharedAnswers, ShareOf } from '../../engine/graphql/shared-answers.ts'
import type { EventAnswers } from './event-stream.ts'
import type { Prepared } from './executor.ts'

/** What all streams of a node have in common. */
export type EventParts = {
  shared: SharedAnswers
  /** In time, or with the error that it was not. */
  inDeadline: (answer: Promise<Answer>, prepared: Prepared) => Promise<Answer>
  contextFor: (prepared: Prepared, source: object) => object
  byGraphQL: (prepared: Prepared, event: unknown, source: object) => Promise<ExecutionResult>
}

/** As graphql-js has it, for what is not compiled. */
export class PlainEventAnswers implements EventAnswers<ExecutionResult> {
  readonly #parts: EventParts
  readonly #prepared: Prepared
  readonly #source: object

  constructor(parts: EventParts, prepared: Prepared, source: object) {
    this.#parts = parts
    this.#prepared = prepared
    this.#source = source
  }

  resolve(event: unknown): Promise<ExecutionResult> {
    return this.#parts.byGraphQL(this.#prepared, event, this.#source)
  }

  resolveNow(): undefined {
    return undefined
  }

  errorsOf({ errors }: ExecutionResult): readonly GraphQLError[] | undefined {
    return errors
  }
}

/** By what was compiled; and as others were answered who watch the same, where that is so. */
export class CompiledEventAnswers implements EventAnswers<Answer> {
  readonly #parts: EventParts
  readonly #prepared: Prepared
  readonly #source: object
  readonly #compiled: Compiled | undefined
  readonly #shareOf: ShareOf | undefined
  readonly #viewerId: string | undefined
  readonly #variables: Variables | undefined
  /** Some fields have to be waited for: then nothing is at hand in the turn of the event. */
  #takesTime = false

  constructor(parts: EventParts, prepared: Prepared, source: object) {
    this.#parts = parts
    this.#prepared = prepared
    this.#source = source
    this.#compiled = prepared.plan.compiled()
    this.#shareOf = prepared.plan.shareOf
    this.#viewerId = prepared.context.viewer?.userId
    this.#variables = this.#compiled?.coerce(prepared.variables)
  }

  resolve(event: unknown): Answer | Promise<Answer> {
    const compiled = this.#compiled
    const share = compiled && this.#shareIn(event)
    if (!compiled || !share) return this.#own(event, this.#newRun())
    const { shared } = this.#parts
    const found = shared.find(compiled, share)
    if (found instanceof Promise) return found.then((given) => given ?? this.#own(event, this.#newRun()))
    if (found) return found
    const run = this.#newRun()
    const given = this.#own(event, run)
    const forAll = (answer: Answer) => (run.isPersonal || answer.result ? undefined : answer)
    if (given instanceof Promise) shared.keep(compiled, share, given.then(forAll))
    else if (forAll(given)) shared.keep(compiled, share, given)
    return given
  }

  resolveNow(event: unknown): Answer | undefined {
    if (this.#takesTime) {
      const share = this.#shareIn(event)
      const found = this.#compiled && share ? this.#parts.shared.find(this.#compiled, share) : undefined
      return found instanceof Promise ? undefined : found
    }
    const given = this.resolve(event)
    return given instanceof Promise ? undefined : given
  }

  errorsOf({ result }: Answer): readonly GraphQLError[] | undefined {
    return result?.errors
  }

  #shareIn(event: unknown): Share | undefined {
    const share = this.#shareOf?.(event as never)
    return share && share.except !== this.#viewerId ? share : undefined
  }

  #newRun(): Run {
    const context = this.#parts.contextFor(this.#prepared, this.#source)
    return { context, variables: this.#variables ?? {}, isPersonal: false }
  }

  /** Never rejects. */
  #own(event: unknown, run: Run): Answer | Promise<Answer> {
    const given = this.#compute(event, run)
    if (!(given instanceof Promise)) return given
    this.#takesTime = true
    return this.#parts.inDeadline(given, this.#prepared)
  }

  #compute(event: unknown, run: Run): Answer | Promise<Answer> {
    const compiled = this.#compiled
    const slowly = async () => answerOf(await this.#parts.byGraphQL(this.#prepared, event, this.#source))
    if (!compiled || !this.#variables) return slowly()
    try {
      const value = compiled.resolve(event, run)
      if (!(value instanceof Promise)) return writeOr(compiled, value, run, slowly)
      return value.then((each) => writeOr(compiled, each, run, slowly), slowly)
    } catch {
      return slowly()
    }
  }
}
