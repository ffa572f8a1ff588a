/**
 * @generated SignedSource<<030ade338abd5747d8d59debd7fd6e34>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type Tick = "DELIVERED" | "READ" | "SENT" | "%future added value";
export type SendMessageInput = {
  attachmentIds?: ReadonlyArray<string> | null | undefined;
  body: string;
  clientMessageId: string;
  metadata?: Record<string, unknown> | null | undefined;
  replyToSeq?: number | null | undefined;
  to: RecipientInput;
};
export type RecipientInput = {
  conversationId: string;
  userId?: never;
} | {
  conversationId?: never;
  userId: string;
};
export type relayChatSendMutation$variables = {
  input: SendMessageInput;
};
export type relayChatSendMutation$data = {
  readonly sendMessage: {
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
export type relayChatSendMutation = {
  response: relayChatSendMutation$data;
  variables: relayChatSendMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
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
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": "SendMessagePayload",
    "kind": "LinkedField",
    "name": "sendMessage",
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
    "name": "relayChatSendMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatSendMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "cacheID": "8257fd15ed641ed1f4e0d4ed96f9460e",
    "id": null,
    "metadata": {},
    "name": "relayChatSendMutation",
    "operationKind": "mutation",
    "text": "mutation relayChatSendMutation(\n  $input: SendMessageInput!\n) {\n  sendMessage(input: $input) {\n    messageEdge {\n      cursor\n      node {\n        id\n        conversationId\n        seq\n        clientMessageId\n        body\n        tick\n        sender {\n          id\n        }\n      }\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "409cc635fb3d0041d128558a30659510";

export default node;
