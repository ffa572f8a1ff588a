/**
 * @generated SignedSource<<2afbfcff0366c5e9c0f58ffcfcff93da>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
export type Tick = "DELIVERED" | "READ" | "SENT" | "%future added value";
import type { FragmentRefs } from "relay-runtime";
export type relayChat_message$data = {
  readonly body: string;
  readonly clientMessageId: string | null | undefined;
  readonly conversationId: string;
  readonly id: string;
  readonly sender: {
    readonly id: string;
  };
  readonly seq: number;
  readonly tick: Tick;
  readonly " $fragmentType": "relayChat_message";
};
export type relayChat_message$key = {
  readonly " $data"?: relayChat_message$data;
  readonly " $fragmentSpreads": FragmentRefs<"relayChat_message">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "relayChat_message",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "conversationId",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "seq",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "clientMessageId",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "body",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "tick",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "User",
      "kind": "LinkedField",
      "name": "sender",
      "plural": false,
      "selections": [
        (v0/*:: as any*/)
      ],
      "storageKey": null
    }
  ],
  "type": "Message",
  "abstractKey": null
};
})();

(node as any).hash = "c17532881a21f7c04b95c8bfb07b7940";

export default node;
