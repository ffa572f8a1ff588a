/**
 * @generated SignedSource<<2eeb789452ca63deed755e3bcc707274>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayChatTicksSubscription$variables = {
  conversationId: string;
};
export type relayChatTicksSubscription$data = {
  readonly ticksChanged: {
    readonly conversation: {
      readonly deliveredSeq: number;
      readonly id: string;
      readonly readSeq: number;
    };
    readonly id: string;
  };
};
export type relayChatTicksSubscription = {
  response: relayChatTicksSubscription$data;
  variables: relayChatTicksSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "conversationId"
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
        "name": "conversationId",
        "variableName": "conversationId"
      }
    ],
    "concreteType": "Ticks",
    "kind": "LinkedField",
    "name": "ticksChanged",
    "plural": false,
    "selections": [
      (v1/*:: as any*/),
      {
        "alias": null,
        "args": null,
        "concreteType": "Conversation",
        "kind": "LinkedField",
        "name": "conversation",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "deliveredSeq",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "readSeq",
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
    "name": "relayChatTicksSubscription",
    "selections": (v2/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatTicksSubscription",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "cacheID": "5b87597681aec90e83135b5578e3dde8",
    "id": null,
    "metadata": {},
    "name": "relayChatTicksSubscription",
    "operationKind": "subscription",
    "text": "subscription relayChatTicksSubscription(\n  $conversationId: ID!\n) {\n  ticksChanged(conversationId: $conversationId) {\n    id\n    conversation {\n      id\n      deliveredSeq\n      readSeq\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "ea0a962eda0b0b180c447d6ebb1ccfab";

export default node;
