import {
  pushPublicKey,
  type RegisteredDevice,
  registerDevice,
  unregisterDevice,
} from '../../resolvers/people/devices.ts'
import { builder } from '../builder.ts'

const PushPlatform = builder.enumType('PushPlatform', {
  description: 'What a device is pushed to by.',
  values: {
    WEBPUSH: { description: 'A browser. Its token is its PushSubscription as JSON: `endpoint` and `keys`.' },
    FCM: { description: 'Android. Its token is its FCM registration token.' },
    APNS: { description: 'iPhones and the like. Its token is its device token, in hex.' },
    LOG: { description: 'Nothing: what it would be told is printed by the server. Not in production.' },
  } as const,
})

const RegisterDeviceInput = builder.inputType('RegisterDeviceInput', {
  description: 'A device to push to.',
  fields: (t) => ({
    deviceId: t.id({
      required: true,
      description: 'Made on the device, and kept there: 1 to 64 of A-Z a-z 0-9 . _ : -',
    }),
    platform: t.field({ type: PushPlatform, required: true, description: 'What it is pushed to by.' }),
    token: t.string({ required: true, description: 'Its address there: 1 to 4,096 characters.' }),
  }),
})

const RegisterDevicePayload = builder.objectRef<RegisteredDevice>('RegisterDevicePayload').implement({
  description: 'The answer to registerDevice.',
  fields: (t) => ({ deviceId: t.exposeID('deviceId', { description: 'The device that is registered.' }) }),
})

const UnregisterDeviceInput = builder.inputType('UnregisterDeviceInput', {
  description: 'A device to push to no longer.',
  fields: (t) => ({ deviceId: t.id({ required: true, description: 'Which of the viewer’s.' }) }),
})

const UnregisterDevicePayload = builder.objectRef<RegisteredDevice>('UnregisterDevicePayload').implement({
  description: 'The answer to unregisterDevice.',
  fields: (t) => ({ deviceId: t.exposeID('deviceId', { description: 'The device that is no longer registered.' }) }),
})

builder.queryField('pushPublicKey', (t) =>
  t.string({
    nullable: true,
    description:
      'What browsers subscribe with (`applicationServerKey`), in base64url. Null where the server does not push to browsers.',
    resolve: (_root, _args, ctx) => pushPublicKey(ctx),
  }),
)

builder.mutationField('registerDevice', (t) =>
  t.field({
    type: RegisterDevicePayload,
    description:
      'Lets a device of the viewer be told of messages while nobody is attached for them. To be repeated whenever the app starts: a ' +
      'token may change. A token that was somebody else’s is the viewer’s from now on. Of more than 20 devices, those registered ' +
      'longest ago are forgotten.',
    args: { input: t.arg({ type: RegisterDeviceInput, required: true, description: 'The device.' }) },
    resolve: (_root, { input }, ctx) => registerDevice(ctx, input),
  }),
)

builder.mutationField('unregisterDevice', (t) =>
  t.field({
    type: UnregisterDevicePayload,
    description:
      'When the viewer signs out: nothing is pushed to the device any more. No error where it is not registered.',
    args: { input: t.arg({ type: UnregisterDeviceInput, required: true, description: 'The device.' }) },
    resolve: (_root, { input }, ctx) => unregisterDevice(ctx, input),
  }),
)
