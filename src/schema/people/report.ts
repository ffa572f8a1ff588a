import { type Reported, reportMessage, reportUser } from '../../resolvers/people/reports.ts'
import { builder } from '../builder.ts'

const ReportReason = builder.enumType('ReportReason', {
  description: 'Why something is reported.',
  values: {
    SPAM: { description: 'Unwanted advertising, or fraud.' },
    HARASSMENT: { description: 'It insults, threatens or follows somebody.' },
    HATE: { description: 'It stirs up hatred of a group of people.' },
    VIOLENCE: { description: 'It shows violence, or calls for it.' },
    SEXUAL: { description: 'It is sexual, and unwanted or forbidden.' },
    SELF_HARM: { description: 'Somebody may harm themselves.' },
    ILLEGAL: { description: 'It is against the law.' },
    OTHER: { description: 'None of these; the comment says what.' },
  } as const,
})

const reason = { type: ReportReason, required: true, description: 'Why.' } as const
const comment = { description: 'What the reporter adds, up to 1,000 characters.' } as const

const ReportMessageInput = builder.inputType('ReportMessageInput', {
  description: 'A message to report.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation of the message.' }),
    seq: t.int({ required: true, description: 'The seq of the message. Not one of the viewer’s own.' }),
    reason: t.field(reason),
    comment: t.string(comment),
  }),
})

const ReportUserInput = builder.inputType('ReportUserInput', {
  description: 'A person to report.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'Somebody whom the viewer can see, and not themselves.' }),
    reason: t.field(reason),
    comment: t.string(comment),
  }),
})

const ReportPayload = builder.objectRef<Reported>('ReportPayload').implement({
  description: 'The answer to a report.',
  fields: (t) => ({
    reportId: t.exposeID('reportId', { description: 'The report, for those who look after the app.' }),
  }),
})

builder.mutationFields((t) => ({
  reportMessage: t.field({
    type: ReportPayload,
    description:
      'Reports a message to those who look after the app, as it is now: it is kept with the report, whatever becomes of it. Nobody else is ' +
      'told. The same viewer has one report of a message, and another one only after that was resolved and the message edited.',
    args: { input: t.arg({ type: ReportMessageInput, required: true, description: 'The message, and why.' }) },
    resolve: (_root, { input }, ctx) => reportMessage(ctx, input),
  }),
  reportUser: t.field({
    type: ReportPayload,
    description:
      'Reports a person to those who look after the app. Nobody else is told. The same viewer has one report of a person until that is ' +
      'resolved. To be spared by the person, see setBlocked.',
    args: { input: t.arg({ type: ReportUserInput, required: true, description: 'The person, and why.' }) },
    resolve: (_root, { input }, ctx) => reportUser(ctx, input),
  }),
}))
