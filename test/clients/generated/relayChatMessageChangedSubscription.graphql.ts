/**
 * @generated SignedSource<<8b2f9ff63a36ae48f62e3929cfc358fa>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type Tick = "DELIVERED" | "READ" | "SENT" | "%future added value";
export type PositionInput = {
  conversationId: string;
  seq: number;
};
export type relayChatMessageChangedSubscription$variables = {
  after?: ReadonlyArray<PositionInput> | null | undefined;
};
export type relayChatMessageChangedSubscription$data = {
  readonly messageChanged: {
    readonly message: {
      readonly body: string;
      readonly clientMessageId: string | null | undefined;
      readonly conversationId: string;
      readonly id: string;
      readonly sender: {
        readonly id: string;
      };
      readonly seq: number;
      readonly tick: Tick;
    };
    readonly seq: number;
  };
};
export type relayChatMessageChangedSubscription = {
  response: relayChatMessageChangedSubscription$data;
  variables: relayChatMessageChangedSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "after"
  }
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "seq",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "after",
        "variableName": "after"
      }
    ],
    "concreteType": "MessageChangedPayload",
    "kind": "LinkedField",
    "name": "messageChanged",
    "plural": false,
    "selections": [
      (v1/*:: as any*/),
      {
        "alias": null,
        "args": null,
        "concreteType": "Message",
        "kind": "LinkedField",
        "name": "message",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "conversationId",
            "storageKey": null
          },
          (v1/*:: as any*/),
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
              (v2/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayChatMessageChangedSubscription",
    "selections": (v3/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatMessageChangedSubscription",
    "selections": (v3/*:: as any*/)
  },
  "params": {
    "cacheID": "eeccadbc940f15cdfc358a3890311f7f",
    "id": null,
    "metadata": {},
    "name": "relayChatMessageChangedSubscription",
    "operationKind": "subscription",
    "text": "subscription relayChatMessageChangedSubscription(\n  $after: [PositionInput!]\n) {\n  messageChanged(after: $after) {\n    seq\n    message {\n      id\n      conversationId\n      seq\n      clientMessageId\n      body\n      tick\n      sender {\n        id\n      }\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "175a1d8e1d3e344a48453f01fec1be5f";

export default node;
