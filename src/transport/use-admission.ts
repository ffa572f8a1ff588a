import type { Plugin } from 'graphql-yoga'
import type { Admission } from './admission.ts'
import type { Authenticate } from './auth.ts'
import type { OperationContext } from './executor.ts'

/** For HTTP: says who asks, and whether they may, before the document is looked at. A WebSocket does so itself. */
export function useAdmission(authenticate: Authenticate, admission: Admission): Plugin<object, OperationContext> {
  return {
    async onParams({ request, context }) {
      const viewer = await authenticate(request.headers.get('authorization'))
      const admitted = admission.admit(viewer, context.address ?? '')
      if (admitted !== undefined) await admitted
      Object.assign(context, { viewer })
    },
  }
}
