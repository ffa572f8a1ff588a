import type { Sequencer } from '../../src/ports/soft-state.ts'
import type { ConversationId, Seq } from '../../src/protocol/ids.ts'

/** As somebody does who has read the log up to there. */
export async function seedCounter(sequencer: Sequencer, id: ConversationId, lastSeq: Seq): Promise<void> {
  await sequencer.seed(id, lastSeq, await sequencer.prepareSeed(id))
}
