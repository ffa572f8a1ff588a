/**
 * @generated SignedSource<<2ade416ff866af6b1df7df2a08ebfda5>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type AckInput = {
  conversationId: string;
  deviceId?: string | null | undefined;
  seq: number;
};
export type relayChatAckMutation$variables = {
  input: AckInput;
};
export type relayChatAckMutation$data = {
  readonly ack: {
    readonly ticks: {
      readonly id: string;
      readonly lastDeliveredSeq: number;
    };
  };
};
export type relayChatAckMutation = {
  response: relayChatAckMutation$data;
  variables: relayChatAckMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": "AckPayload",
    "kind": "LinkedField",
    "name": "ack",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "Ticks",
        "kind": "LinkedField",
        "name": "ticks",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "lastDeliveredSeq",
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
    "name": "relayChatAckMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayChatAckMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "3cd4b4300b5c41e2d3b5013fb2421368",
    "id": null,
    "metadata": {},
    "name": "relayChatAckMutation",
    "operationKind": "mutation",
    "text": "mutation relayChatAckMutation(\n  $input: AckInput!\n) {\n  ack(input: $input) {\n    ticks {\n      id\n      lastDeliveredSeq\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "96d50437534b9b43765971374885940d";

export default node;
