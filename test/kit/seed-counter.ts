import type { Sequencer } from '../../src/ports/soft-state.ts'
import type { ConversationId, Seq } from '../../src/protocol/ids.ts'

/** Seeds the counter like a node that has read the log up to there. */
export async function seedCounter(sequencer: Sequencer, id: ConversationId, lastSeq: Seq): Promise<void> {
  await sequencer.seed(id, lastSeq, await sequencer.prepareSeed(id))
}
