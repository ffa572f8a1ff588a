import type { GraphQLError } from 'graphql'
import { type Answer, answerOf, type JointAnswer, writeOr } from '../../engine/graphql/answer.ts'
import type { Compiled } from '../../engine/graphql/compiled-operation.ts'
import type { Run } from '../../engine/graphql/compiled-values.ts'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { SharedAnswers } from '../../engine/graphql/shared-answers.ts'
import type { SharedAnswerKey, SharedAnswerKeyOf } from '../../engine/graphql/sharing.ts'
import type { Prepared } from './prepared.ts'
import type { Reference } from './reference.ts'

/** What all streams of a node have in common. */
export type EventExecutorParts = {
  shared: SharedAnswers
  reference: Reference
  /** Resolves to the answer, or to an error if it took too long. */
  inDeadline: (answer: Promise<Answer>, prepared: Prepared) => Promise<Answer>
}

/**
 * Executes a subscription for each of its events, with a new context each time: by the compiled operation, or by graphql-js. If others
 * watch the same events, it reuses their answer. Each open stream has one.
 */
export class EventExecutor {
  readonly #parts: EventExecutorParts
  readonly #prepared: Prepared
  readonly #source: object
  readonly #compiled: Compiled | undefined
  readonly #sharedAnswerKeyOf: SharedAnswerKeyOf | undefined
  readonly #viewerId: string | undefined
  readonly #variables: Variables | undefined
  /** Whether some fields have to be waited for, so that no answer is ready in the turn of the event. */
  #isAsync = false

  constructor(parts: EventExecutorParts, prepared: Prepared, source: object) {
    const { compiled } = prepared.plan
    this.#parts = parts
    this.#prepared = prepared
    this.#source = source
    this.#compiled = compiled
    this.#sharedAnswerKeyOf = compiled?.canBeShared ? compiled.sharedAnswerKeyOf : undefined
    this.#viewerId = prepared.context.viewer?.userId
    this.#variables = compiled?.coerce(prepared.variables)
  }

  resolve(event: unknown): Answer | Promise<Answer> {
    const compiled = this.#compiled
    if (!compiled || !this.#variables) return this.#parts.inDeadline(this.#byReference(event), this.#prepared)
    const key = this.#sharedAnswerKey(event)
    if (!key) return this.#own(compiled, event, this.#newRun())
    const { shared } = this.#parts
    const found = shared.find(compiled, key)
    if (found instanceof Promise) return found.then((given) => given ?? this.#own(compiled, event, this.#newRun()))
    if (found) return found
    const run = this.#newRun()
    const given = this.#own(compiled, event, run)
    const forAll = (answer: Answer) => (run.isPersonal || answer.result ? undefined : answer)
    if (given instanceof Promise) shared.keep(compiled, key, given.then(forAll))
    else if (forAll(given)) shared.keep(compiled, key, given)
    return given
  }

  /** Returns the answer if there is nothing to wait for, or undefined. */
  resolveNow(event: unknown): Answer | undefined {
    if (!this.#compiled || !this.#variables) return undefined
    if (this.#isAsync) {
      const key = this.#sharedAnswerKey(event)
      const found = key ? this.#parts.shared.find(this.#compiled, key) : undefined
      return found instanceof Promise ? undefined : found
    }
    const given = this.resolve(event)
    return given instanceof Promise ? undefined : given
  }

  /** Returns the answers to all of these events, if they are the same for all who watch them and there is nothing to wait for. */
  resolveAllNow(events: readonly unknown[]): JointAnswer | undefined {
    const compiled = this.#compiled
    if (!compiled || !this.#variables || !this.#sharedAnswerKeyOf || this.#isAsync) return undefined
    return this.#parts.shared.jointly(compiled, events, () => this.#jointAnswer(compiled, events))
  }

  #jointAnswer(compiled: Compiled, events: readonly unknown[]): JointAnswer | undefined {
    const jsons: string[] = []
    for (const event of events) {
      const key = this.#sharedAnswerKey(event)
      const run = this.#newRun()
      const given = key && !key.exceptViewerId ? this.#own(compiled, event, run) : undefined
      if (given === undefined || given instanceof Promise || given.result || run.isPersonal) return undefined
      jsons.push(given.json)
    }
    return { jsons }
  }

  errorsOf({ result }: Answer): readonly GraphQLError[] | undefined {
    return result?.errors
  }

  #sharedAnswerKey(event: unknown): SharedAnswerKey | undefined {
    const key = this.#sharedAnswerKeyOf?.(event as never)
    return key && key.exceptViewerId !== this.#viewerId ? key : undefined
  }

  #newRun(): Run {
    const context = this.#parts.reference.contextFor(this.#prepared.context, this.#source)
    return { context, variables: this.#variables ?? {}, isPersonal: false }
  }

  /** Never rejects. */
  #own(compiled: Compiled, event: unknown, run: Run): Answer | Promise<Answer> {
    const given = this.#compute(compiled, event, run)
    if (!(given instanceof Promise)) return given
    this.#isAsync = true
    return this.#parts.inDeadline(given, this.#prepared)
  }

  #compute(compiled: Compiled, event: unknown, run: Run): Answer | Promise<Answer> {
    const byReference = () => this.#byReference(event)
    try {
      const value = compiled.resolve(event, run)
      if (!(value instanceof Promise)) return writeOr(compiled, value, run, byReference)
      return value.then((each) => writeOr(compiled, each, run, byReference), byReference)
    } catch {
      return byReference()
    }
  }

  async #byReference(event: unknown): Promise<Answer> {
    return answerOf(await this.#parts.reference.executeEvent(this.#prepared, event, this.#source))
  }
}
