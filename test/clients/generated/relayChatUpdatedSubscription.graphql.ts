/**
 * @generated SignedSource<<f2ea3f73440f85924927b1a69ad041bc>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayChatUpdatedSubscription$variables = Record<PropertyKey, never>;
export type relayChatUpdatedSubscription$data = {
  readonly conversationUpdated: {
    readonly conversationEdge: {
      readonly cursor: string;
      readonly node: {
        readonly id: string;
        readonly lastActivityAt: string;
        readonly lastMessage: {
          readonly body: string;
          readonly id: string;
        } | null | undefined;
        readonly unreadCount: number;
      };
    } | null | undefined;
    readonly removedConversationId: string | null | undefined;
  };
};
export type relayChatUpdatedSubscription = {
  response: relayChatUpdatedSubscription$data;
  variables: relayChatUpdatedSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v1 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "ConversationUpdatedPayload",
    "kind": "LinkedField",
    "name": "conversationUpdated",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "ConversationEdge",
        "kind": "LinkedField",
        "name": "conversationEdge",
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
            "concreteType": "Conversation",
            "kind": "LinkedField",
            "name": "node",
            "plural": false,
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
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "removedConversationId",
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "relayChatUpdatedSubscription",
    "selections": (v1/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "relayChatUpdatedSubscription",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "7f5184e14087b9be72da52142d30a9a6",
    "id": null,
    "metadata": {},
    "name": "relayChatUpdatedSubscription",
    "operationKind": "subscription",
    "text": "subscription relayChatUpdatedSubscription {\n  conversationUpdated {\n    conversationEdge {\n      cursor\n      node {\n        id\n        lastActivityAt\n        unreadCount\n        lastMessage {\n          id\n          body\n        }\n      }\n    }\n    removedConversationId\n  }\n}\n"
  }
};
})();

(node as any).hash = "e9580ca243c382742b300ff9bf39004c";

export default node;
