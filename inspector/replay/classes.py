"""What a replay does with each component that Haystack ships, and why.

The table is exact: a class that is not in it is looked up by module pattern, and
is unknown after that. A test holds it against Haystack's own component registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Treatment(StrEnum):
    """What a replay does when a component is asked to run."""

    ANSWER = "answer"  # from the recording; live only where the caller allows it
    NEVER_LIVE = "never_live"  # from the recording, and never live: it writes
    EXECUTE = "execute"  # live: it depends on nothing but its inputs
    CONTAIN = "contain"  # live, because what it calls inside is what gets answered
    VERIFY = "verify"  # live where it need not leave the process, and compared with the recording
    FILES = "files"  # live on data in memory; on paths verified, or answered when they are gone
    UNKNOWN = "unknown"  # answered when the recording has an output, else refused


RUNS = frozenset({Treatment.EXECUTE, Treatment.CONTAIN})
"""What runs in a replay whatever was recorded."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What to do with a component, and the reason in words."""

    treatment: Treatment
    reason: str


_DETERMINISTIC = Ruling(Treatment.EXECUTE, "its output depends on its inputs only")
_TEMPLATE = Ruling(Treatment.EXECUTE, "renders a template in memory")
_LLM = Ruling(Treatment.ANSWER, "calls an LLM: costs money and answers differently each time")
_EMBEDDER = Ruling(Treatment.ANSWER, "calls an embedding service")
_LOCAL_MODEL = Ruling(Treatment.ANSWER, "loads a model, which may be downloaded first")
_FILES = Ruling(Treatment.FILES, "reads the files that its inputs name")
_STORE = Ruling(Treatment.VERIFY, "reads a document store, whose content may have changed")
_INNER_LLM = Ruling(
    Treatment.CONTAIN, "builds prompts and reads replies; the LLM inside is answered"
)
_INNER = Ruling(
    Treatment.CONTAIN, "hands its work to components inside, which are treated one by one"
)

_C = "haystack.components."

CLASSES: dict[str, Ruling] = {
    _C + "agents.agent.Agent": Ruling(
        Treatment.CONTAIN, "runs its loop; its chat generator and tools are answered"
    ),
    _C + "builders.answer_builder.AnswerBuilder": _DETERMINISTIC,
    _C + "builders.chat_prompt_builder.ChatPromptBuilder": _TEMPLATE,
    _C + "builders.prompt_builder.PromptBuilder": _TEMPLATE,
    _C + "caching.cache_checker.CacheChecker": _STORE,
    _C + "converters.csv.CSVToDocument": _FILES,
    _C + "converters.docx.DOCXToDocument": _FILES,
    _C + "converters.file_to_file_content.FileToFileContent": _FILES,
    _C + "converters.html.HTMLToDocument": _FILES,
    _C + "converters.image.document_to_image.DocumentToImageContent": _FILES,
    _C + "converters.image.file_to_document.ImageFileToDocument": _FILES,
    _C + "converters.image.file_to_image.ImageFileToImageContent": _FILES,
    _C + "converters.image.pdf_to_image.PDFToImageContent": _FILES,
    _C + "converters.json.JSONConverter": _FILES,
    _C + "converters.markdown.MarkdownToDocument": _FILES,
    _C + "converters.msg.MSGToDocument": _FILES,
    _C + "converters.multi_file_converter.MultiFileConverter": _FILES,
    _C + "converters.output_adapter.OutputAdapter": _TEMPLATE,
    _C + "converters.pdfminer.PDFMinerToDocument": _FILES,
    _C + "converters.pptx.PPTXToDocument": _FILES,
    _C + "converters.pypdf.PyPDFToDocument": _FILES,
    _C + "converters.txt.TextFileToDocument": _FILES,
    _C + "converters.xlsx.XLSXToDocument": _FILES,
    _C + "embedders.azure_document_embedder.AzureOpenAIDocumentEmbedder": _EMBEDDER,
    _C + "embedders.azure_text_embedder.AzureOpenAITextEmbedder": _EMBEDDER,
    _C + "embedders.mock_document_embedder.MockDocumentEmbedder": _DETERMINISTIC,
    _C + "embedders.mock_text_embedder.MockTextEmbedder": _DETERMINISTIC,
    _C + "embedders.openai_document_embedder.OpenAIDocumentEmbedder": _EMBEDDER,
    _C + "embedders.openai_text_embedder.OpenAITextEmbedder": _EMBEDDER,
    _C + "evaluators.answer_exact_match.AnswerExactMatchEvaluator": _DETERMINISTIC,
    _C + "evaluators.context_relevance.ContextRelevanceEvaluator": _INNER_LLM,
    _C + "evaluators.document_map.DocumentMAPEvaluator": _DETERMINISTIC,
    _C + "evaluators.document_mrr.DocumentMRREvaluator": _DETERMINISTIC,
    _C + "evaluators.document_ndcg.DocumentNDCGEvaluator": _DETERMINISTIC,
    _C + "evaluators.document_recall.DocumentRecallEvaluator": _DETERMINISTIC,
    _C + "evaluators.faithfulness.FaithfulnessEvaluator": _INNER_LLM,
    _C + "evaluators.llm_evaluator.LLMEvaluator": _INNER_LLM,
    _C + "evaluators.sas_evaluator.SASEvaluator": _LOCAL_MODEL,
    _C + "extractors.image.llm_document_content_extractor.LLMDocumentContentExtractor": _INNER_LLM,
    _C + "extractors.llm_metadata_extractor.LLMMetadataExtractor": _INNER_LLM,
    _C + "extractors.regex_text_extractor.RegexTextExtractor": _DETERMINISTIC,
    _C + "fetchers.link_content.LinkContentFetcher": Ruling(
        Treatment.ANSWER, "fetches pages from the network"
    ),
    _C + "generators.chat.azure.AzureOpenAIChatGenerator": _LLM,
    _C + "generators.chat.azure_responses.AzureOpenAIResponsesChatGenerator": _LLM,
    _C + "generators.chat.fallback.FallbackChatGenerator": Ruling(
        Treatment.CONTAIN, "tries its generators in turn; each of them is answered"
    ),
    _C + "generators.chat.llm.LLM": Ruling(
        Treatment.CONTAIN, "an agent without tools; its chat generator is answered"
    ),
    # Its answers may come from any function, so its class alone proves nothing.
    _C + "generators.chat.mock.MockChatGenerator": Ruling(
        Treatment.ANSWER, "stands for an LLM; its answers may come from any function"
    ),
    _C + "generators.chat.openai.OpenAIChatGenerator": _LLM,
    _C + "generators.chat.openai_responses.OpenAIResponsesChatGenerator": _LLM,
    _C + "generators.openai_image_generator.OpenAIImageGenerator": Ruling(
        Treatment.ANSWER, "calls an image model"
    ),
    _C + "joiners.answer_joiner.AnswerJoiner": _DETERMINISTIC,
    _C + "joiners.branch.BranchJoiner": _DETERMINISTIC,
    _C + "joiners.document_joiner.DocumentJoiner": _DETERMINISTIC,
    _C + "joiners.list_joiner.ListJoiner": _DETERMINISTIC,
    _C + "joiners.string_joiner.StringJoiner": _DETERMINISTIC,
    _C + "preprocessors.csv_document_cleaner.CSVDocumentCleaner": _DETERMINISTIC,
    _C + "preprocessors.csv_document_splitter.CSVDocumentSplitter": _DETERMINISTIC,
    _C + "preprocessors.document_cleaner.DocumentCleaner": _DETERMINISTIC,
    _C + "preprocessors.document_preprocessor.DocumentPreprocessor": _INNER,
    _C + "preprocessors.document_splitter.DocumentSplitter": _DETERMINISTIC,
    _C + "preprocessors.embedding_based_document_splitter.EmbeddingBasedDocumentSplitter": _INNER,
    _C
    + "preprocessors.hierarchical_document_splitter.HierarchicalDocumentSplitter": _DETERMINISTIC,
    _C + "preprocessors.markdown_header_splitter.MarkdownHeaderSplitter": _DETERMINISTIC,
    _C + "preprocessors.python_code_splitter.PythonCodeSplitter": _DETERMINISTIC,
    _C + "preprocessors.recursive_splitter.RecursiveDocumentSplitter": _DETERMINISTIC,
    _C + "preprocessors.text_cleaner.TextCleaner": _DETERMINISTIC,
    _C + "query.query_expander.QueryExpander": _INNER_LLM,
    _C + "rankers.llm_ranker.LLMRanker": _INNER_LLM,
    _C + "rankers.lost_in_the_middle.LostInTheMiddleRanker": _DETERMINISTIC,
    _C + "rankers.meta_field.MetaFieldRanker": _DETERMINISTIC,
    _C + "rankers.meta_field_grouping_ranker.MetaFieldGroupingRanker": _DETERMINISTIC,
    _C + "retrievers.auto_merging_retriever.AutoMergingRetriever": _STORE,
    _C + "retrievers.filter_retriever.FilterRetriever": _STORE,
    _C + "retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever": _STORE,
    _C + "retrievers.in_memory.embedding_retriever.InMemoryEmbeddingRetriever": _STORE,
    _C + "retrievers.multi_query_embedding_retriever.MultiQueryEmbeddingRetriever": _INNER,
    _C + "retrievers.multi_query_text_retriever.MultiQueryTextRetriever": _INNER,
    _C + "retrievers.multi_retriever.MultiRetriever": _INNER,
    _C + "retrievers.sentence_window_retriever.SentenceWindowRetriever": _STORE,
    _C + "retrievers.text_embedding_retriever.TextEmbeddingRetriever": _INNER,
    _C + "routers.conditional_router.ConditionalRouter": _TEMPLATE,
    _C + "routers.document_length_router.DocumentLengthRouter": _DETERMINISTIC,
    _C + "routers.document_type_router.DocumentTypeRouter": _DETERMINISTIC,
    _C + "routers.file_type_router.FileTypeRouter": _DETERMINISTIC,
    _C + "routers.llm_messages_router.LLMMessagesRouter": _INNER_LLM,
    _C + "routers.metadata_router.MetadataRouter": _DETERMINISTIC,
    _C + "samplers.top_p.TopPSampler": _DETERMINISTIC,
    _C + "validators.json_schema.JsonSchemaValidator": _DETERMINISTIC,
    _C + "writers.document_writer.DocumentWriter": Ruling(
        Treatment.NEVER_LIVE, "writes to a document store"
    ),
    "haystack.core.super_component.super_component.SuperComponent": _INNER,
    "haystack.core.super_component.super_component._SuperComponent": _INNER,
}

_I = "haystack_integrations.components."

# Longest prefix first wins; the order here does not matter.
MODULES: dict[str, Ruling] = {
    _I + "generators.": _LLM,
    _I + "embedders.": _EMBEDDER,
    _I + "rankers.": Ruling(Treatment.ANSWER, "ranks with a model, remote or local"),
    _I + "retrievers.": Ruling(Treatment.VERIFY, "reads a document store, which may be remote"),
    _I + "websearch.": Ruling(Treatment.ANSWER, "searches the web"),
    _I + "fetchers.": Ruling(Treatment.ANSWER, "fetches from the network"),
    _I + "downloaders.": Ruling(Treatment.ANSWER, "downloads files"),
    _I + "connectors.": Ruling(Treatment.NEVER_LIVE, "talks to another system and may change it"),
    _I + "writers.": Ruling(Treatment.NEVER_LIVE, "writes to another system"),
    _I + "audio.": _LOCAL_MODEL,
    _I + "translators.": _LOCAL_MODEL,
    _I + "readers.": _LOCAL_MODEL,
    _I + "classifiers.": _LOCAL_MODEL,
    _I + "extractors.": _LOCAL_MODEL,
    _I + "routers.": _LOCAL_MODEL,
    _I + "converters.": Ruling(Treatment.ANSWER, "converts through a service or a model"),
    _I + "preprocessors.": Ruling(Treatment.ANSWER, "may split with an embedding model"),
    _I + "evaluators.": _LLM,
    "haystack_integrations.tools.": Ruling(Treatment.NEVER_LIVE, "a tool acts on other systems"),
}
