import { type AdminReport, listReports, resolveReport } from '../resolvers/reports.ts'
import { after, builder, first } from './builder.ts'

const ReportState = builder.enumType('ReportState', {
  description: 'Whether somebody has dealt with a report.',
  values: {
    OPEN: { description: 'Nobody has yet.' },
    RESOLVED: { description: 'Somebody has, and said how.' },
  } as const,
})

const Report = builder.objectRef<AdminReport>('Report').implement({
  description: 'A message or a user that somebody has reported.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    state: t.expose('state', { type: ReportState, description: 'Whether somebody has dealt with it.' }),
    reporterId: t.exposeID('reporterId', { description: 'Who reported.' }),
    userId: t.exposeID('userId', { description: 'Who is reported, or whose message is.' }),
    conversationId: t.exposeID('conversationId', { nullable: true, description: 'The conversation of the message.' }),
    seq: t.exposeInt('seq', { nullable: true, description: 'The seq of the message.' }),
    body: t.exposeString('body', {
      nullable: true,
      description: 'As it was when it was reported. Null for a person, and where the message was deleted before.',
    }),
    reason: t.exposeString('reason', { description: 'Why, as the reporter chose.' }),
    comment: t.exposeString('comment', { nullable: true, description: 'What the reporter has added.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was reported.',
      resolve: ({ createdAtMs }) => createdAtMs,
    }),
    resolution: t.exposeString('resolution', { nullable: true, description: 'How it was dealt with.' }),
  }),
})

const ReportConnection = builder.connectionObject(
  { type: Report, name: 'ReportConnection', description: 'A page of reports, newest first.' },
  builder.edgeObject({ type: Report, name: 'ReportEdge', description: 'A report at its place.' }),
)

const ReportResolvedPayload = builder.objectRef<{ report: AdminReport }>('ReportResolvedPayload').implement({
  description: 'The answer to resolveReport.',
  fields: (t) => ({ report: t.expose('report', { type: Report, description: 'The report as it is now.' }) }),
})

const ResolveReportInput = builder.inputType('ResolveReportInput', {
  description: 'How a report was dealt with.',
  fields: (t) => ({
    reportId: t.id({ required: true, description: 'The report.' }),
    resolution: t.string({
      required: true,
      description: 'What was done, in the backend’s own words: 1 to 1,000 characters.',
    }),
  }),
})

builder.queryField('reports', (t) =>
  t.field({
    type: ReportConnection,
    description: 'What users have reported, newest first.',
    args: {
      state: t.arg({ type: ReportState, description: 'Only those in this state.' }),
      first: t.arg.int({ description: first }),
      after: t.arg.string({ description: after }),
    },
    resolve: (_root, args, ctx) => listReports(ctx, args),
  }),
)

builder.mutationField('resolveReport', (t) =>
  t.field({
    type: ReportResolvedPayload,
    description: 'Says how a report was dealt with. One that is resolved stays as it is, and is returned.',
    args: { input: t.arg({ type: ResolveReportInput, required: true, description: 'The report.' }) },
    resolve: (_root, { input }, ctx) => resolveReport(ctx, input),
  }),
)
