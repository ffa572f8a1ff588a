import {
  type AdminTask,
  eraseUser,
  exportConversation,
  exportUser,
  findTask,
  setRetention,
} from '../resolvers/tasks.ts'
import { builder } from './builder.ts'
import { ConversationIdInput, ConversationPayload } from './conversation.ts'
import { UserIdInput } from './user.ts'

const TaskState = builder.enumType('TaskState', {
  description: 'How far a task is.',
  values: {
    QUEUED: { description: 'It waits.' },
    RUNNING: { description: 'A node works on it.' },
    DONE: { description: 'It is done.' },
    FAILED: { description: 'It cannot be done; `error` says why.' },
  } as const,
})

const Task = builder.objectRef<AdminTask>('Task').implement({
  description: 'Long work that goes on after its call was answered.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    kind: t.exposeString('kind', { description: 'What is done.' }),
    state: t.expose('state', { type: TaskState, description: 'How far it is.' }),
    progress: t.exposeFloat('progress', { description: 'From 0 to 1.' }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Where the result can be fetched, signed, for a day.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was asked for.',
      resolve: ({ createdAtMs }) => createdAtMs,
    }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was done or had failed.',
      resolve: ({ finishedAtMs }) => finishedAtMs,
    }),
  }),
})

const TaskPayload = builder.objectRef<{ task: AdminTask }>('TaskPayload').implement({
  description: 'The answer to what takes long.',
  fields: (t) => ({ task: t.expose('task', { type: Task, description: 'The task, to be asked for by its id.' }) }),
})

const SetRetentionInput = builder.inputType('SetRetentionInput', {
  description: 'How long messages are kept.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    days: t.int({ description: 'So many days. Null: for ever.' }),
  }),
})

builder.queryField('task', (t) =>
  t.field({
    type: Task,
    nullable: true,
    description: 'A task by its id; null if there is none.',
    args: { id: t.arg.id({ required: true, description: 'The task’s id.' }) },
    resolve: (_root, { id }, ctx) => findTask(ctx, id),
  }),
)

builder.mutationFields((t) => ({
  setRetention: t.field({
    type: ConversationPayload,
    description: 'Sets how long the messages of a conversation are kept.',
    args: { input: t.arg({ type: SetRetentionInput, required: true, description: 'How long.' }) },
    resolve: (_root, { input }, ctx) => setRetention(ctx, input),
  }),
  eraseUser: t.field({
    type: TaskPayload,
    description: 'Erases what is known of a user.',
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: (_root, { input }, ctx) => eraseUser(ctx, input),
  }),
  exportUser: t.field({
    type: TaskPayload,
    description: 'Exports what is known of a user.',
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: (_root, { input }, ctx) => exportUser(ctx, input),
  }),
  exportConversation: t.field({
    type: TaskPayload,
    description: 'Exports a conversation.',
    args: { input: t.arg({ type: ConversationIdInput, required: true, description: 'The conversation.' }) },
    resolve: (_root, { input }, ctx) => exportConversation(ctx, input),
  }),
}))
