/**
 * @generated SignedSource<<f98bd409372cccfb2709cc0e7f7980e4>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type Tick = "DELIVERED" | "READ" | "SENT" | "%future added value";
export type EditMessageInput = {
  body: string;
  clientMessageId: string;
  conversationId: string;
  seq: number;
};
export type relayChatEditMutation$variables = {
  input: EditMessageInput;
};
export type relayChatEditMutation$data = {
  readonly editMessage: {
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
  };
};
export type relayChatEditMutation = {
  response: relayChatEditMutation$data;
  variables: relayChatEditMutation$variables;
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
    "concreteType": "MessagePayload",
    "kind": "LinkedField",
    "name": "editMessage",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "Message",
        "kind": "LinkedField",
        "name": "message",
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
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayChatEditMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatEditMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "cacheID": "69cd4d7b815352cff725300c7020b6c9",
    "id": null,
    "metadata": {},
    "name": "relayChatEditMutation",
    "operationKind": "mutation",
    "text": "mutation relayChatEditMutation(\n  $input: EditMessageInput!\n) {\n  editMessage(input: $input) {\n    message {\n      id\n      conversationId\n      seq\n      clientMessageId\n      body\n      tick\n      sender {\n        id\n      }\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "c649c5c881c0b1adfb3e61460a3b90d8";

export default node;
