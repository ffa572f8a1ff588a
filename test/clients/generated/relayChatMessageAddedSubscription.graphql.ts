/**
 * @generated SignedSource<<407e7bbb0046326f4c308bda1e3774c7>>
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
export type relayChatMessageAddedSubscription$variables = {
  after?: ReadonlyArray<PositionInput> | null | undefined;
};
export type relayChatMessageAddedSubscription$data = {
  readonly messageAdded: {
    readonly messageEdge: {
      readonly cursor: string;
      readonly node: {
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
    };
  };
};
export type relayChatMessageAddedSubscription = {
  response: relayChatMessageAddedSubscription$data;
  variables: relayChatMessageAddedSubscription$variables;
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
  "name": "id",
  "storageKey": null
},
v2 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "after",
        "variableName": "after"
      }
    ],
    "concreteType": "MessageAddedPayload",
    "kind": "LinkedField",
    "name": "messageAdded",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "MessageEdge",
        "kind": "LinkedField",
        "name": "messageEdge",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "cursor",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "Message",
            "kind": "LinkedField",
            "name": "node",
            "plural": false,
            "selections": [
              (v1/*:: as any*/),
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
                  (v1/*:: as any*/)
                ],
                "storageKey": null
              }
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
    "name": "relayChatMessageAddedSubscription",
    "selections": (v2/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatMessageAddedSubscription",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "cacheID": "948139897773dda83b51d0af62d709ea",
    "id": null,
    "metadata": {},
    "name": "relayChatMessageAddedSubscription",
    "operationKind": "subscription",
    "text": "subscription relayChatMessageAddedSubscription(\n  $after: [PositionInput!]\n) {\n  messageAdded(after: $after) {\n    messageEdge {\n      cursor\n      node {\n        id\n        conversationId\n        seq\n        clientMessageId\n        body\n        tick\n        sender {\n          id\n        }\n      }\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "7b0d86e2818adac236373b95eb25ef5d";

export default node;
