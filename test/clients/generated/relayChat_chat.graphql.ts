/**
 * @generated SignedSource<<d256facd8472b0c9afd2ba71e145a2a6>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type relayChat_chat$data = {
  readonly id: string;
  readonly lastActivityAt: string;
  readonly lastMessage: {
    readonly body: string;
    readonly id: string;
  } | null | undefined;
  readonly unreadCount: number;
  readonly " $fragmentType": "relayChat_chat";
};
export type relayChat_chat$key = {
  readonly " $data"?: relayChat_chat$data;
  readonly " $fragmentSpreads": FragmentRefs<"relayChat_chat">;
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
  "name": "relayChat_chat",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "lastActivityAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "unreadCount",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Message",
      "kind": "LinkedField",
      "name": "lastMessage",
      "plural": false,
      "selections": [
        (v0/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "body",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Conversation",
  "abstractKey": null
};
})();

(node as any).hash = "a62d35baf5f342932fc330f2ad3e6c42";

export default node;
